/** What the description shows of positions, times, durations, names and settings is what is accepted. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFilter, parseMatch } from '../../../lib/core/filter/parse-filter.ts';
import { parseDuration } from '../../../lib/core/log/duration.ts';
import { parseConsumerName, parseStreamName } from '../../../lib/core/log/ids.ts';
import { parseInstant } from '../../../lib/core/log/instant.ts';
import { parsePosition } from '../../../lib/core/log/position-syntax.ts';
import { parseSettings } from '../../../lib/core/log/settings.ts';
import {
  FILTER_FORMS,
  FILTER_TEXT_FORMS,
  MATCH_FORM,
} from '../../../lib/http/schemas/filter-forms.ts';
import {
  boundedText,
  CONSUMER_NAME_FORM,
  NAME_FORM,
} from '../../../lib/http/schemas/log-values.ts';
import {
  DURATION_FORM,
  INSTANT_FORMS,
  POSITION_FORMS,
} from '../../../lib/http/schemas/position-forms.ts';
import { streamSettings } from '../../../lib/http/schemas/stream.ts';

const matching = (pattern: string) => fc.stringMatching(new RegExp(pattern));
const patterns = (forms: readonly object[]) =>
  forms.flatMap((form) => ('pattern' in form ? [String(form.pattern)] : []));

describe('a position is read', () => {
  test.each(patterns(POSITION_FORMS.anyOf))('O12: when it looks like %s', (pattern) => {
    fc.assert(
      fc.property(matching(pattern), (text) => {
        expect(parsePosition(text)).toMatchObject({ kind: 'ok' });
      }),
    );
  });

  test('O7: when it is one of the words, or an integer', () => {
    const words = POSITION_FORMS.anyOf.flatMap((form) => ('enum' in form ? form.enum : []));

    expect(words).toEqual(['first', 'last', 'next']);
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...words), fc.maxSafeInteger()), (value) => {
        expect(parsePosition(String(value))).toMatchObject({ kind: 'ok' });
      }),
    );
  });

  test.each([
    'first',
    '120',
    '-100',
    'ts:2026-11-29T10:00:00Z',
    '1h',
    'ago:7D',
    '-9007199254740992',
  ])('O12: and %s looks like one', (text) => {
    const isDescribed = (form: object) =>
      'pattern' in form
        ? new RegExp(String(form.pattern)).test(text)
        : 'enum' in form && Array.isArray(form.enum) && form.enum.includes(text);

    expect(POSITION_FORMS.anyOf.some(isDescribed)).toBe(true);
  });
});

test.each(patterns(INSTANT_FORMS.anyOf))('O8: a time is read when it looks like %s', (pattern) => {
  fc.assert(
    fc.property(matching(pattern), (text) => {
      expect(parseInstant(text)).toMatchObject({ kind: 'ok' });
    }),
  );
});

test('T6: a duration above 0 is read when it looks like one', () => {
  fc.assert(
    fc.property(matching(DURATION_FORM.pattern), (text) => {
      expect(parseDuration(text)).toEqual({ kind: 'ok', ms: expect.toSatisfy((ms) => ms > 0) });
    }),
  );
});

test.each([
  ['P9: a name', NAME_FORM, parseStreamName],
  ['C7: a name of a consumer', CONSUMER_NAME_FORM, parseConsumerName],
])('%s of up to 255 bytes is taken exactly when it looks like one', (_, { pattern }, parse) => {
  const form = new RegExp(pattern, 'u');
  const name = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.constantFrom(
      '.',
      '..',
      '...',
      '.a',
      'amq.a',
      'varve.a',
      'amq',
      'a.amq.',
      'a/b',
      'amq.ctag-',
      'amq.ctag-a',
      'amq.ctag',
      '\u009f',
    ),
  );
  fc.assert(
    fc.property(
      name.filter((text) => text.isWellFormed()),
      (text) => {
        expect(form.test(text)).toBe(parse(text).kind === 'ok');
      },
    ),
    { numRuns: 1_000 },
  );
});

test('T17: the schema of settings takes what a declaration takes, and refuses what it refuses', () => {
  const value = fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.maxSafeInteger(),
    fc.double(),
    matching(DURATION_FORM.pattern),
    fc.constantFrom<unknown>('1ms', '0s', '1d', '', '5', true, null, [], 2 ** 53),
  );
  const name = fc.constantFrom(
    ...['segment_max_bytes', 'segment_max_age', 'max_age', 'consumer_limit', 'durable', 'x'],
  );
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 2 }), (members) => {
      expect(streamSettings().safeParse(members).success).toBe(
        parseSettings(members).kind === 'ok',
      );
    }),
    { numRuns: 4_000 },
  );
});

test('a text counts its characters as descriptions do, and holds no half of one', () => {
  const accepts = (text: string) => boundedText(3).safeParse(text).success;

  expect(['a', 'abc', '🜁🜁🜁'].map(accepts)).toEqual([true, true, true]);
  expect(['', 'abcd', '🜁🜁🜁🜁', '\ud800'].map(accepts)).toEqual([false, false, false, false]);
});

describe('a filter is read', () => {
  const parse = (text: string, kind: 'query' | 'json') =>
    parseFilter({ kind, text, match: 'all', matchUnfiltered: false });

  test.each(patterns(FILTER_TEXT_FORMS.anyOf))(
    'F1: in a query, when it looks like %s',
    (pattern) => {
      fc.assert(
        fc.property(matching(pattern), (text) => {
          fc.pre(text.split(',').length <= 100);
          expect(parse(text, 'query')).toMatchObject({ kind: 'ok' });
        }),
      );
    },
  );

  test.each(patterns(FILTER_FORMS.anyOf))('F1: in a body, when it looks like %s', (pattern) => {
    fc.assert(
      fc.property(matching(pattern), (text) => {
        fc.pre(text.split(',').length <= 100);
        expect(parse(JSON.stringify(text), 'json')).toMatchObject({ kind: 'ok' });
      }),
    );
  });

  test('F1 F3: as the examples are written', () => {
    for (const text of FILTER_TEXT_FORMS.examples) {
      expect(parse(text, 'query')).toMatchObject({ kind: 'ok' });
    }
    for (const value of FILTER_FORMS.examples) {
      expect(parse(JSON.stringify(value), 'json')).toMatchObject({ kind: 'ok' });
    }
  });

  test('F4: match is read when it looks like it', () => {
    fc.assert(
      fc.property(matching(MATCH_FORM.pattern), (text) => {
        expect(parseMatch(text)).toBeDefined();
      }),
    );
  });
});
