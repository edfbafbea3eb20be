/**
 * Bodies with a message a line: `application/x-ndjson`, where the line is the body of a message, and
 * `application/vnd.varve.messages+ndjson`, where it is a message object as reads give them.
 */
import { BatchBuilder } from '../../services/batch-builder.ts';
import { pieceOf, requireJson } from './json-body.ts';
import { splitLines } from './lines.ts';
import { addMessageObject } from './message-object.ts';
import type { ParsedPublish } from './parse-publish.ts';

export function parseNdjson(source: Uint8Array): ParsedPublish {
  const builder = new BatchBuilder();
  for (const { number, start, end } of splitLines(source)) {
    const place = `line ${number}`;
    const body = source.subarray(start, end);
    requireJson(body, place);
    builder.add({ body, contentType: 'application/json', isJson: true }, place);
  }
  return { built: builder.finish(), options: {} };
}

export function parseMessageLines(source: Uint8Array): ParsedPublish {
  const builder = new BatchBuilder();
  for (const { number, start, end } of splitLines(source)) {
    const place = `line ${number}`;
    const line = source.subarray(start, end);
    requireJson(line, place);
    addMessageObject(builder, { source: line, piece: pieceOf(line), place });
  }
  return { built: builder.finish(), options: {} };
}
