/** Readers that check every byte: they know what each offset must hold, and throw at the first difference. */
import type { Message } from '../../lib/client/message.ts';

export interface CheckedReader {
  readonly name: string;
  /** Where it must begin; undefined when that is up to what there was at that time. */
  readonly first?: number;
  /** The offset behind the last message to read. */
  readonly total: number;
  expected(offset: number): string;
}

export interface ReaderResult {
  readonly name: string;
  readonly first: number;
  readonly checked: number;
}

/** Reads to `total`: every offset once, in order, with the bytes that were published. */
export async function readChecking(
  messages: AsyncIterable<Message>,
  { name, first, total, expected }: CheckedReader,
): Promise<ReaderResult> {
  let start = first;
  let next = first;
  for await (const message of messages) {
    start ??= message.offset;
    next ??= message.offset;
    if (message.offset !== next || message.text() !== expected(next)) {
      const got = `offset ${message.offset}: ${message.text().slice(0, 120)}`;
      throw new Error(`${name} got, where offset ${next} was due, ${got}`);
    }
    next++;
    if (next === total) break;
  }
  if (start === undefined || next !== total) throw new Error(`${name} ended before ${next}`);
  return { name, first: start, checked: total - start };
}
