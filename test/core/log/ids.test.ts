import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AssertionFailed } from '../../../lib/core/assert.ts';
import {
  offset,
  parseName,
  parsePublisherName,
  parseStreamName,
  streamId,
} from '../../../lib/core/log/ids.ts';

const reject = (reason: string) => ({ kind: 'reject', reason });
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe('names', () => {
  test.each([
    ['255 bytes of ASCII', 'a'.repeat(255)],
    ['255 bytes in 128 characters', `${'é'.repeat(127)}a`],
    ['a reserved prefix without its dot', 'amqx'],
    ['a reserved prefix further in', 'my.amq.x'],
    ['a reserved prefix in capitals', 'AMQ.x'],
    ['other scripts, and characters beyond the basic plane', '日本/🜁'],
    ['a space', 'a b'],
    ['a slash', 'a/b'],
    ['a slash that is still encoded', 'a%2Fb'],
    ['a plus', 'a+b'],
    ['a letter of two bytes', 'ä'],
    ['what ends a path elsewhere', 'a?b#c'],
    ['three dots', '...'],
    ['a leading dot', '.a'],
    ['a trailing dot', 'a.'],
    ['two dots after a slash', 'a/..'],
    ['a no-break space, the first character above C1', '\u00a0'],
    ['a tilde, the last character below DEL', '~'],
  ])('P9: accepts %s, unchanged', (_what, text) => {
    expect(parseName(text)).toEqual({ kind: 'ok', name: text });
  });

  test.each([
    ['nothing', '', 'a name is empty: give it 1 to 255 bytes'],
    [
      '256 bytes of ASCII',
      'a'.repeat(256),
      `"${'a'.repeat(64)}…" has 256 bytes of UTF-8: shorten it to at most 255`,
    ],
    [
      '256 bytes in 128 characters',
      'é'.repeat(128),
      `"${'é'.repeat(64)}…" has 256 bytes of UTF-8: shorten it to at most 255`,
    ],
    ['one dot', '.', '"." is a path step: choose another name'],
    ['two dots', '..', '".." is a path step: choose another name'],
    ['amq.', 'amq.x', '"amq.x" begins with the reserved "amq.": choose another beginning'],
    ['amq. alone', 'amq.', '"amq." begins with the reserved "amq.": choose another beginning'],
    ['varve.', 'varve.x', '"varve.x" begins with the reserved "varve.": choose another beginning'],
  ])('P9: rejects %s', (_what, text, reason) => {
    expect(parseName(text)).toEqual(reject(reason));
  });

  test.each([
    ['NUL', '\u0000'],
    ['U+0007', '\u0007'],
    ['a line feed', '\n'],
    ['U+001F', '\u001f'],
    ['DEL', '\u007f'],
    ['U+0080', '\u0080'],
    ['U+009F', '\u009f'],
  ])('P9: rejects the control character %s anywhere', (_what, control) => {
    for (const text of [control, `${control}a`, `a${control}b`, `a${control}`]) {
      expect(parseName(text)).toEqual(
        reject(expect.stringMatching(/holds a control character: leave out U\+0000 to U\+001F/)),
      );
    }
  });

  test.each([
    ['a high one', '\ud83d'],
    ['a low one', '\ude00'],
    ['two in the wrong order', '\ude00\ud83d'],
    ['one inside', 'a\ud83db'],
  ])('P9: rejects half a surrogate pair: %s', (_what, text) => {
    expect(parseName(text)).toEqual(
      reject(expect.stringMatching(/holds half a surrogate pair: send valid Unicode$/)),
    );
  });

  test('P9: an accepted name survives UTF-8 within its limit, free of what the rule forbids', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const fits = bytesOf(text) >= 1 && bytesOf(text) <= 255;
        const clean = [...text].every((character) => {
          const code = character.codePointAt(0) ?? 0;
          return code > 0x9f || (code > 0x1f && code < 0x7f);
        });
        const free = !/^(?:\.\.?$|amq\.|varve\.)/.test(text);

        expect(parseName(text).kind).toBe(fits && clean && free ? 'ok' : 'reject');
      }),
    );
  });

  test('P9: streams and publishers hold to it alike', () => {
    for (const parse of [parseStreamName, parsePublisherName]) {
      expect(parse('orders')).toEqual({ kind: 'ok', name: 'orders' });
      expect(parse('amq.orders')).toEqual(parseName('amq.orders'));
      expect(parse('..').kind).toBe('reject');
    }
  });
});

describe('offsets', () => {
  test.each([0, 1, 2 ** 53 - 1])('%d is an offset', (n) => {
    expect(offset(n)).toBe(n);
  });

  test.each([-1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    '%d is no offset but a fault of this program',
    (n) => {
      expect(() => offset(n)).toThrow(AssertionFailed);
    },
  );
});

describe('stream ids', () => {
  const id = '0123456789abcdef0123456789abcdef';

  test('are 32 lower-case hex digits', () => {
    expect(streamId(id)).toBe(id);
  });

  test.each([id.slice(1), `${id}0`, id.toUpperCase(), id.replace('a', 'g'), `${id}\n`, ''])(
    'are not %j',
    (text) => {
      expect(() => streamId(text)).toThrow(AssertionFailed);
    },
  );
});
