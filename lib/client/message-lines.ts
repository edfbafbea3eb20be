/**
 * A batch as lines of message objects: how messages that are to be held are sent, since binary frames have no
 * place for a delay. Bodies go as base64, which keeps every byte and has a length that is known beforehand.
 */
import { decodeRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import type { BatchEntry } from './publish-batch.ts';

/** Of one request; the server holds the same limit (SPEC L13). */
export const HELD_PER_REQUEST_MAX = 99;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function encodeLine({ record, id, delay }: BatchEntry): Uint8Array<ArrayBuffer> {
  const { body, contentType, key, routingKey, headers, properties } = decodeRecord(
    new VarintReader(record),
  );
  const members = [
    textMember('base64', base64(body)),
    textMember('content_type', contentType),
    key && textMember('key', decoder.decode(key)),
    routingKey && textMember('routing_key', decoder.decode(routingKey)),
    // As they were encoded: nothing of them is to change on its way.
    headers && `"headers":${decoder.decode(headers)}`,
    properties && `"properties":${decoder.decode(properties)}`,
    id !== undefined && `"publishing_id":${id}`,
    delay && JSON.stringify(delay).slice(1, -1),
  ];
  return encoder.encode(`{${members.filter(Boolean).join(',')}}\n`);
}

/** How many go into one request of at most `bytesMax`; at least one. */
export function lineCount(entries: readonly BatchEntry[], bytesMax: number): number {
  let [bytes, held] = [0, 0];
  const excess = entries.findIndex((entry) => {
    bytes += encodeLine(entry).length;
    held += entry.delay ? 1 : 0;
    return bytes > bytesMax || held > HELD_PER_REQUEST_MAX;
  });
  return excess < 0 ? entries.length : Math.max(excess, 1);
}

export function encodeLines(entries: readonly BatchEntry[]): Uint8Array<ArrayBuffer> {
  const lines = entries.map(encodeLine);
  const body = new Uint8Array(lines.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const line of lines) {
    body.set(line, position);
    position += line.length;
  }
  return body;
}

function textMember(name: string, value: string | undefined): string {
  return `"${name}":${JSON.stringify(value)}`;
}

/** Divisible by 3, so that pieces can be joined; small enough for the arguments of one call. */
const PIECE_BYTES = 12_288;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE_BYTES)));
  }
  return text;
}
