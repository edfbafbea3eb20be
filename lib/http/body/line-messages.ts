/**
 * Bodies with a message a line: `application/x-ndjson`, where the line is the body of a message, and
 * `application/vnd.varve.messages+ndjson`, where it is a message object as reads give them.
 */
import { BatchBuilder } from '../../services/batch-builder.ts';
import { parseJson, utf8Text } from './json-body.ts';
import { splitLines } from './lines.ts';
import { addMessageObject } from './message-object.ts';
import type { ParsedPublish } from './parse-publish.ts';

export function parseNdjson(source: Uint8Array): ParsedPublish {
  const builder = new BatchBuilder();
  for (const { number, start, end } of splitLines(source)) {
    const place = `line ${number}`;
    const body = source.subarray(start, end);
    parseJson(utf8Text(body, place), place);
    builder.add({ body, contentType: 'application/json', isJson: true }, place);
  }
  return { built: builder.finish(), options: {} };
}

export function parseMessageLines(source: Uint8Array): ParsedPublish {
  const builder = new BatchBuilder();
  for (const { number, ...piece } of splitLines(source)) {
    const place = `line ${number}`;
    const value = parseJson(utf8Text(source.subarray(piece.start, piece.end), place), place);
    addMessageObject(builder, { source, piece, value, place });
  }
  return { built: builder.finish(), options: {} };
}
