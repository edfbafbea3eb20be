import { CloudEvent } from 'cloudevents';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUri, isUriReference } from '../../../lib/core/log/uri.ts';

const EITHER = [
  'https://example.com/a?b=c#d',
  'http://user:pass@host:8080/',
  'http://[::1]/',
  'http://[2001:db8::ff00:42:8329]:80',
  'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
  'mailto:a@example.com',
  'x:y',
  'file:///a/b',
  'a+b-c.d:%41%e2%82%ac',
];
const REFERENCES = ['/a/b', 'a', './a', '../a', '?q', '#f', '//host', '1-555-123-4567', '%20', ''];
const NEITHER = [
  'a b',
  ' a',
  'a\n',
  'ä',
  'a"b',
  'a<b>',
  'a{b}',
  'a|b',
  'a\\b',
  'a^b',
  '`',
  '%',
  '%4',
  '%zz',
  'a#b#c',
  'http://[::1/',
  'http://[:]/',
  'http://[1.2.3.4]/',
  'http://host:port/',
  '//a:b:c',
  'a[b]',
];

test.each(EITHER)('CE2: %j is a URI, and so a reference to one', (text) => {
  expect([isUri(text), isUriReference(text)]).toEqual([true, true]);
});

test.each([...REFERENCES, 'http:', 'my_service:orders'])('CE2: %j is a reference alone', (text) => {
  expect([isUri(text), isUriReference(text)]).toEqual([false, true]);
});

test.each(NEITHER)('CE2: %j is neither', (text) => {
  expect([isUri(text), isUriReference(text)]).toEqual([false, false]);
});

/** What ends or begins a part of a URI, and what stands in one. */
const piece = fc.constantFrom(
  ...['a', ':', '/', '//', '?', '#', '[', ']', '@', '%', '%41', '%zz', '-', '.', '~', ' ', 'ä'],
  ...['::1', '[::1]', '[1::2]', '[:]', 'http:', '{', '|', '80'],
);
const pieces = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));

test('CE2: the library that readers use takes every event whose URIs are taken here', () => {
  const isTaken = (attributes: object) => {
    try {
      return new CloudEvent({ type: 't', source: 's', ...attributes }).validate();
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(pieces, (text) => {
      fc.pre(isUriReference(text));

      expect(isTaken({ source: text })).toBe(true);
      expect(isUri(text) ? isTaken({ dataschema: text }) : true).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('a long text is judged at once, whatever its end', () => {
  for (const unit of ['a', '/', ':', 'a:', '/a:@', '%41']) {
    const text = unit.repeat(100_000);
    expect(isUriReference(`${text} `)).toBe(false);
    expect(isUriReference(`//${text}@${text} `)).toBe(false);
  }
});
