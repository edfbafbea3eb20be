/**
 * Catch-up reading on two bare sockets in turn: the next page is asked for while the one before is
 * decoded. Every message is decoded and its offset checked, in every format.
 */
import { decodeFrames } from '../../lib/wire/frame.ts';
import { decodeRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';
import { encodeRequest, RawConnection } from '../support/raw-connection.ts';
import { LARGE_BYTES } from './messages.ts';

/** As many messages of a KiB as 4 MiB, the most of a page, surely hold. */
const PAGE = 4_000;

/** Each calls back with the offset of every message and the size of its body. */
export const checkingReaders: {
  readonly [form: string]: (page: Buffer, check: (offset: number, bytes: number) => void) => void;
} = {
  json: (page, check) => {
    const { messages } = JSON.parse(page.toString()) as { messages: { offset: number }[] };
    for (const { offset } of messages) check(offset, LARGE_BYTES);
  },
  ndjson: (page, check) => {
    for (let start = 0; start < page.length; ) {
      const end = page.indexOf(0x0a, start);
      const { offset }: { offset: number } = JSON.parse(page.toString('utf8', start, end));
      check(offset, LARGE_BYTES);
      start = end + 1;
    }
  },
  binary: (page, check) => {
    for (const { count, records, position } of decodeFrames(page)) {
      const reader = new VarintReader(records);
      for (let index = 0; index < count; index++) {
        const { body } = decodeRecord(reader);
        check((position?.base ?? 0) + index, body.length);
      }
    }
  },
};

export async function readAlternating(port: number, form: string, count: number): Promise<void> {
  const decode = checkingReaders[form];
  if (decode === undefined) throw new Error(`no reader of ${form}`);
  const connections = [await RawConnection.open(port), await RawConnection.open(port)];
  const ask = (from: number) => {
    const path = `/v1/streams/batches/messages?from=${from}&limit=${PAGE}&max_bytes=4194304&as=${form}`;
    return connections[(from / PAGE) % 2]?.send(encodeRequest({ method: 'GET', path }));
  };
  let expected = 0;
  for (let next = ask(0); expected < count; ) {
    const page = await next;
    next = expected + PAGE < count ? ask(expected + PAGE) : undefined;
    decode(page?.body ?? Buffer.alloc(0), (offset, bytes) => {
      if (offset !== expected++) throw new Error(`offset ${offset} instead of ${expected - 1}`);
      if (bytes !== LARGE_BYTES) throw new Error(`a body of ${bytes} bytes at ${offset}`);
    });
    if (expected % PAGE !== 0 && expected < count) throw new Error(`a page ended at ${expected}`);
  }
  for (const connection of connections) connection.close();
}
