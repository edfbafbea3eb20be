/** Chunks as the bytes of an answer's body: message objects, lines, bodies, or frames as stored. */
import type { StoredChunk } from '../../ports/log-store.ts';
import { encodeFrameHeader } from '../../wire/frame.ts';
import { decodeRecord } from '../../wire/record.ts';
import { VarintReader } from '../../wire/varint.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type BodyForm, writeChunkMessages } from './message-json.ts';

/** `[{…},{…}]` */
export function writeMessageArray(
  writer: ByteWriter,
  chunks: readonly StoredChunk[],
  form: BodyForm,
): void {
  const separate = () => writer.ascii(',');
  writer.ascii('[');
  chunks.forEach((chunk, index) => {
    if (index > 0) separate();
    writeChunkMessages(writer, chunk, { form, separate });
  });
  writer.ascii(']');
}

/** A message object a line. */
export function writeMessageLines(
  writer: ByteWriter,
  chunks: readonly StoredChunk[],
  form: { readonly base64: boolean },
): void {
  const separate = () => writer.ascii('\n');
  for (const chunk of chunks) {
    writeChunkMessages(writer, chunk, { form: { ...form, oneLine: true }, separate });
    separate();
  }
}

/** The bodies alone, each ended by LF. */
export function writeBodyLines(writer: ByteWriter, chunks: readonly StoredChunk[]): void {
  for (const chunk of chunks) {
    const reader = new VarintReader(chunk.records);
    for (let index = 0; index < chunk.count; index++) {
      writer.bytes(decodeRecord(reader).body);
      writer.ascii('\n');
    }
  }
}

/** A frame a chunk: its header, then the records as they are stored. */
export function framePieces(chunks: readonly StoredChunk[]): Uint8Array[] {
  return chunks.flatMap(({ base, timeMs, count, records }) => {
    const position = { base, timestampMs: timeMs };
    return [encodeFrameHeader({ count, records, position }), records];
  });
}
