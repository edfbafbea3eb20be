/** Publishes over slow stores: alone, many at a time, and in large batches. */
import { encodeFrameHeader, MESSAGES_TYPE } from '../../../lib/wire/frame.ts';
import { encodeRecords } from '../../../lib/wire/record.ts';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import { SMALL } from '../messages.ts';
import type { Result } from '../results.ts';
import { figuresOf, repeatFor } from './measured.ts';
import { type Simulated, startSimulated } from './start-simulated.ts';

export interface RowOptions {
  readonly seed: number;
  readonly scale: number;
  readonly seconds: number;
  /** Requests before the first that counts, without latency: servers that are asked often run warm code. */
  readonly warmUp: number;
  readonly bodies: readonly string[];
}

interface Publishing {
  readonly lanes: number;
  readonly lingerMs: number;
  readonly request: Buffer;
}

const PATH = '/v1/streams/published/messages?create=true';

export const SINGLE = encodeRequest({
  method: 'POST',
  path: PATH,
  contentType: 'text/plain',
  body: SMALL,
});

export function batchRequest(bodies: readonly string[], path = PATH): Buffer {
  const records = encodeRecords(
    bodies.map((body) => ({ body: Buffer.from(body), contentType: 'application/json' })),
  );
  const body = Buffer.concat([encodeFrameHeader({ count: bodies.length, records }), records]);
  return encodeRequest({ method: 'POST', path, contentType: MESSAGES_TYPE, body });
}

export async function measurePublishes(
  { lanes, lingerMs, request }: Publishing,
  { seed, scale, seconds, warmUp }: RowOptions,
): Promise<Result['figures']> {
  const service = await startSimulated({ seed, lingerMs });
  const connections = await openMany(service, lanes);
  try {
    const senders = connections.map((connection) => () => connection.send(request));
    await sendTimes(senders, warmUp);
    service.stores.setScale(scale);
    const putsBefore = service.stores.calls.put;
    const spans = await repeatFor(senders, seconds);
    const puts = service.stores.calls.put - putsBefore;
    return {
      ...figuresOf(spans, service.stores.storeTime),
      'publishes/s': spans.length / seconds,
      'PUTs/publish': puts / spans.length,
    };
  } finally {
    for (const connection of connections) connection.close();
    await service.end();
  }
}

export async function openMany({ port }: Simulated, count: number): Promise<RawConnection[]> {
  return await Promise.all(Array.from({ length: count }, () => RawConnection.open(port)));
}

/** All at the same time, as often as it takes: alone each of them would linger. */
export async function sendTimes(
  senders: readonly (() => Promise<unknown>)[],
  times: number,
): Promise<void> {
  for (let sent = 0; sent < times; sent += senders.length) {
    await Promise.all(senders.map((send) => send()));
  }
}
