/** The least a server of this kind can do: node:http that reads a body and answers. The yardstick. */
import { createServer } from 'node:http';

const ANSWER = '{"start":1}';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': ANSWER.length,
    });
    response.end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  process.stdout.write(`listens on http://127.0.0.1:${port}\n`);
});
