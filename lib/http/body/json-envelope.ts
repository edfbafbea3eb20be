/** `application/json`: the envelope `{"messages": [...], options}`. */
import { MESSAGES_PER_REQUEST_MAX } from '../../core/log/limits.ts';
import { BatchBuilder, tooManyMessages } from '../../services/batch-builder.ts';
import { invalid } from '../../services/log-error.ts';
import { type JsonPiece, scanFirstElements, visitMembers } from '../../wire/json-text.ts';
import { exactValue, isArrayAt, isObjectAt, pieceOf, requireJson } from './json-body.ts';
import { addMessageObject } from './message-object.ts';
import type { ParsedPublish } from './parse-publish.ts';
import { parseEnvelopeOptions, refuseUnknownOption } from './publish-options.ts';

export function parseJsonEnvelope(source: Uint8Array): ParsedPublish {
  requireJson(source, 'the body');
  const whole = pieceOf(source);
  if (!isObjectAt(source, whole)) throw invalid('the body', 'the body must be a JSON object');

  let messages: JsonPiece | undefined;
  const members: Record<string, unknown> = {};
  visitMembers(source, whole.start, ({ name, value }) => {
    if (name === 'messages') {
      messages = value;
      return;
    }
    refuseUnknownOption(name);
    const option = exactValue(source, value);
    if (Number.isNaN(option)) throw invalid(name, `${name} must be an integer, written as one`);
    members[name] = option;
  });
  const options = parseEnvelopeOptions(members);
  if (messages === undefined || !isArrayAt(source, messages)) {
    throw invalid('messages', 'messages must be an array of messages');
  }
  return { built: buildMessages(source, messages.start), options };
}

function buildMessages(source: Uint8Array, start: number) {
  const { elements, count } = scanFirstElements(source, start, MESSAGES_PER_REQUEST_MAX);
  if (count > MESSAGES_PER_REQUEST_MAX) throw tooManyMessages(count);

  const builder = new BatchBuilder();
  elements.forEach((piece, index) => {
    addMessageObject(builder, { source, piece, place: `messages[${index}]` });
  });
  return builder.finish();
}
