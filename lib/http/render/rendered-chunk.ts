/**
 * The message objects of a chunk as event streams hold them, kept for as long as the chunk is: all
 * followers of a stream are given the same chunk, and a thousand of them would hold its text a thousand times.
 */
import type { StoredChunk } from '../../ports/log-store.ts';
import { ByteWriter } from './byte-writer.ts';
import { writeChunkMessages } from './message-json.ts';

interface Rendered {
  plain?: Uint8Array<ArrayBuffer>;
  base64?: Uint8Array<ArrayBuffer>;
}

const RENDERED = new WeakMap<StoredChunk, Rendered>();

/** `{…},{…}`, each on one line. */
export function renderedMessages(chunk: StoredChunk, base64: boolean): Uint8Array<ArrayBuffer> {
  const rendered = RENDERED.get(chunk) ?? {};
  RENDERED.set(chunk, rendered);
  const name = base64 ? 'base64' : 'plain';
  rendered[name] ??= render(chunk, base64);
  return rendered[name];
}

function render(chunk: StoredChunk, base64: boolean): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  const separate = () => writer.ascii(',');
  writeChunkMessages(writer, chunk, { form: { base64, oneLine: true }, separate });
  // A copy of its size: the writer's buffer may be twice as large.
  return writer.finish().slice();
}
