/** Puts an API behind a real socket of this machine, until it is disposed of. */
import { startServing } from '../../lib/http/serve.ts';
import type { LocalApi } from './api.ts';

export interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** Disposed of it has ended, after every request under way was finished. */
export async function listen({ http }: LocalApi): Promise<Listening> {
  const server = await startServing({ ...http, host: '127.0.0.1', port: 0 });
  return { port: server.address.port, [Symbol.asyncDispose]: () => server.close() };
}
