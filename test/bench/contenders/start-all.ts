/** Who takes part. The bare server is the yardstick; those that are not on this machine are named. */
import { type Contender, Missing } from '../contender.ts';
import { startBare } from './bare.ts';
import { startDurableStreams } from './durable-streams.ts';
import { startNats } from './nats.ts';
import { startRedis } from './redis.ts';
import { startVarve } from './varve.ts';

export interface StartOptions {
  readonly folder: string;
  readonly under: readonly string[];
  readonly bodies: readonly string[];
  readonly withPeers: boolean;
}

export interface Field {
  readonly varve: Contender;
  readonly bare: Awaited<ReturnType<typeof startBare>>;
  readonly peers: readonly Contender[];
  readonly missing: readonly { readonly name: string; readonly why: string }[];
  /** Where further servers may keep their data, and how they are started. */
  readonly place: Pick<StartOptions, 'folder' | 'under' | 'bodies'>;
  end(): Promise<void>;
}

const PEERS = { NATS: startNats, Redis: startRedis, 'Durable Streams': startDurableStreams };

export async function startAll({ folder, withPeers, ...options }: StartOptions): Promise<Field> {
  const started = new AsyncDisposableStack();
  try {
    const varve = await startVarve(folder, options);
    started.defer(() => varve.end());
    const bare = await startBare(folder, options);
    started.defer(() => bare.end());
    const peers: Contender[] = [];
    const missing: { name: string; why: string }[] = [];
    for (const [name, start] of withPeers ? Object.entries(PEERS) : []) {
      try {
        const peer = await start(folder, options);
        started.defer(() => peer.end());
        peers.push(peer);
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        missing.push({ name, why: error.message });
      }
    }
    const place = { folder, ...options };
    return { varve, bare, peers, missing, place, end: () => started.disposeAsync() };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}
