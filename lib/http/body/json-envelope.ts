/** `application/json`: the envelope `{"messages": [...], options}`. */
import { MESSAGES_PER_REQUEST_MAX } from '../../core/log/limits.ts';
import { BatchBuilder, tooManyMessages } from '../../services/batch-builder.ts';
import { invalid } from '../../services/log-error.ts';
import { scanElements, scanMembers } from '../../wire/json-text.ts';
import { asObject, isWrittenAsInteger, parseJson, utf8Text } from './json-body.ts';
import { addMessageObject } from './message-object.ts';
import type { ParsedPublish } from './parse-publish.ts';
import { parseEnvelopeOptions } from './publish-options.ts';

export function parseJsonEnvelope(source: Uint8Array): ParsedPublish {
  const envelope = asObject(parseJson(utf8Text(source, 'the body'), 'the body'), 'the body');
  const { messages, ...members } = envelope;
  const options = parseEnvelopeOptions(members);
  // Integers are checked as they are written, so one with an exponent is never taken for another.
  const pieces = new Map(scanMembers(source, 0).map(({ name, value }) => [name, value]));
  for (const [name, value] of Object.entries(members)) {
    const piece = pieces.get(name);
    if (typeof value === 'number' && piece !== undefined)
      refuseInexact(name, source.subarray(piece.start, piece.end));
  }
  if (!Array.isArray(messages)) throw invalid('messages', 'messages must be an array of messages');
  if (messages.length > MESSAGES_PER_REQUEST_MAX) throw tooManyMessages(messages.length);

  const builder = new BatchBuilder();
  const elements = scanElements(source, pieces.get('messages')?.start ?? 0);
  elements.forEach((piece, index) => {
    const place = `messages[${index}]`;
    addMessageObject(builder, { source, piece, value: messages[index], place });
  });
  return { built: builder.finish(), options };
}

function refuseInexact(name: string, written: Uint8Array): void {
  if (!isWrittenAsInteger(written))
    throw invalid(name, `${name} must be an integer, written as one`);
}
