/** A server that only answers: the ceiling of HTTP here. It keeps nothing, so it has one kind of row. */
import { fileURLToPath } from 'node:url';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import { startServerProcess } from '../../support/server-process.ts';
import type { Contender, Lanes } from '../contender.ts';
import { SMALL } from '../messages.ts';

const ENTRY = fileURLToPath(new URL('../bare-server.ts', import.meta.url));

export async function startBare(
  folder: string,
  { under }: { readonly under: readonly string[] },
): Promise<Pick<Contender, 'name' | 'durability' | 'pid' | 'singles' | 'end'>> {
  const server = await startServerProcess({ data: folder, entry: ENTRY, under });
  return {
    name: 'bare node:http',
    durability: 'stores nothing',
    pid: server.pid,
    singles: async (lanes): Promise<Lanes> => {
      const request = encodeRequest({
        method: 'POST',
        path: '/',
        contentType: 'text/plain',
        body: SMALL,
      });
      const open = Array.from({ length: lanes }, () => RawConnection.open(server.port));
      const connections = await Promise.all(open);
      return {
        messages: 1,
        senders: connections.map((connection) => () => connection.send(request)),
        close: () => {
          for (const connection of connections) connection.close();
        },
      };
    },
    end: () => server.end(),
  };
}
