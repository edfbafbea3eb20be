import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientError } from '../../lib/client/client-error.ts';
import { EventParser } from '../../lib/client/event-parser.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

function parse(...pieces: readonly (string | Uint8Array)[]) {
  const parser = new EventParser();
  return pieces
    .flatMap((piece) => parser.push(typeof piece === 'string' ? utf8(piece) : piece))
    .map(({ name, data }) => [name, new TextDecoder().decode(data)]);
}

describe('events', () => {
  test.each<[what: string, text: string, events: string[][]]>([
    ['with a name', 'event: ping\ndata: {}\n\n', [['ping', '{}']]],
    ['without a name', 'data: [DONE]\n\n', [['message', '[DONE]']]],
    ['with an id and a comment', ':hi\nid: 3,4,5\ndata: x\n\n', [['message', 'x']]],
    ['over several lines', 'data: a\ndata: b\n\n', [['message', 'a\nb']]],
    ['without the space', 'event:e\ndata:x\n\n', [['e', 'x']]],
    ['with CRLF', 'event: e\r\ndata: x\r\n\r\n', [['e', 'x']]],
    ['with a colon in it', 'data: a: b\n\n', [['message', 'a: b']]],
    ['without data are none', 'event: e\n\ndata: x\n\n', [['message', 'x']]],
    ['with an empty line of data', 'data\n\n', [['message', '']]],
    ['that are not finished', 'event: e\ndata: x\n', []],
  ])('%s', (_what, text, events) => {
    expect(parse(text)).toEqual(events);
  });

  test('are the same however the bytes are cut', () => {
    const text =
      'event: batch\r\nid: 1\ndata: {"a":"ö🜁"}\n\n: x\ndata: 1\ndata:\n\n\ndata: ende\n\n';
    const bytes = utf8(text);
    const whole = parse(text);
    expect(whole).toHaveLength(3);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end));

        expect(parse(...pieces)).toEqual(whole);
      }),
    );
  });

  test('are refused when a line has no end', () => {
    const parser = new EventParser();
    parser.push(utf8(`data: ${'x'.repeat(4_000_000)}`));

    expect(() => parser.push(utf8('x'.repeat(200_000)))).toThrow(ClientError);
  });
});
