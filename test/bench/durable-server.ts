/** The server of Durable Streams with its file store, as a process that announces itself. */
import { parseArgs } from 'node:util';
import { DurableStreamTestServer } from '@durable-streams/server';

const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string' } } });
const server = new DurableStreamTestServer({
  port: Number(values.port),
  host: '127.0.0.1',
  ...(values.data !== undefined && { dataDir: values.data }),
  compression: false,
});
await server.start();
process.stdout.write(`listens on ${server.url}\n`);
