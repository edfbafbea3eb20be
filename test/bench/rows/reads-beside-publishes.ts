/** How long a read of one message takes while 64 connections publish: what a writer thread buys. */

import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import type { Contender } from '../contender.ts';
import { type LoadResult, median, runLoad } from '../load.ts';
import type { RowOptions } from './singles.ts';

const PUBLISHERS = 64;

export async function measureReadsBeside(
  contender: Contender,
  port: number,
  { runs, seconds }: RowOptions,
) {
  const publishing = await contender.singles(PUBLISHERS);
  await runLoad({ ...publishing, senders: publishing.senders.slice(0, 1) }, 0.1);
  const connection = await RawConnection.open(port);
  const request = encodeRequest({ method: 'GET', path: '/v1/streams/single/messages?from=-1' });
  const reading = { senders: [() => connection.send(request)], messages: 1 };
  const results: { readonly writes: LoadResult; readonly reads: LoadResult }[] = [];
  for (let run = 0; run < runs; run++) {
    const [writes, reads] = await Promise.all([
      runLoad(publishing, seconds),
      runLoad({ ...reading, close: () => undefined }, seconds),
    ]);
    results.push({ writes, reads });
  }
  connection.close();
  await publishing.close();
  return {
    'p50 ms': median(results.map(({ reads }) => reads.p50Ms)),
    'p99 ms': median(results.map(({ reads }) => reads.p99Ms)),
    'publishes/s': median(results.map(({ writes }) => writes.perSecond)),
  };
}
