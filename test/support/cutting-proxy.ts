/** Stands between client and server, and cuts connections in the middle of answers. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Connections that were cut so far. */
  cuts(): number;
}

export interface CuttingProxyOptions {
  /** Of the server. */
  readonly port: number;
  /**
   * Asked for each connection: how many bytes of answers go through before both ends are reset. 0 loses
   * an answer whose request had its effect. Undefined never cuts.
   */
  readonly cutAfter: () => number | undefined;
}

export async function startCuttingProxy(options: CuttingProxyOptions): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(options.port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    }
    client.pipe(upstream);
    upstream.once('close', () => client.end());
    client.once('close', () => upstream.destroy());
    let left = options.cutAfter() ?? Number.POSITIVE_INFINITY;
    upstream.on('data', (data) => {
      if (data.length < left) {
        left -= data.length;
        client.write(data);
        return;
      }
      cuts++;
      client.write(data.subarray(0, left));
      left = 0;
      client.resetAndDestroy();
      upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
