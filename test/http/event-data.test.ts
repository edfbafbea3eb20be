import { expect, test } from 'vitest';
import { chosenForm, type DataForm, impliedForm, isJsonData } from '../../lib/http/event-data.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const BYTES = Uint8Array.of(0x7b, 0xff);

test.each<[string, Uint8Array, DataForm | undefined]>([
  ['application/json', utf8('{"a":1}'), 'json'],
  ['application/json', utf8('bad'), 'base64'],
  ['application/json', BYTES, 'base64'],
  ['application/vnd.x+json; v=1', utf8('1'), 'json'],
  ['text/json', utf8('[]'), 'json'],
  ['TEXT/JSON ; charset=utf-8', utf8('[]'), 'json'],
  ['text/json-seq', utf8('[]'), 'text'],
  ['text/plain', utf8('ä'), 'text'],
  ['text/plain', BYTES, 'base64'],
  ['application/xml', utf8('<a/>'), 'text'],
  ['image/svg+xml; charset=utf-8', utf8('<a/>'), 'text'],
  ['application/xml-dtd', utf8('<a/>'), 'base64'],
  ['application/x-www-form-urlencoded', utf8('a=1'), 'text'],
  ['application/octet-stream', utf8('a'), 'base64'],
  ['image/png', utf8('a'), 'base64'],
  ['application/x; a=/xml', utf8('a'), 'base64'],
  ['application/json', utf8(''), undefined],
  ['text/plain', utf8(''), undefined],
  ['image/png', utf8(''), undefined],
])('CE4: of %s and %o the form is %s', (contentType, body, form) => {
  expect(impliedForm({ body, contentType, isJson: false })).toBe(form);
});

test('CE4: a body that is known to be JSON is not parsed', () => {
  const body = utf8('bad');

  expect(impliedForm({ body, contentType: 'application/json', isJson: true })).toBe('json');
});

const TEXT = 'text/plain';
const PNG = 'image/png';

test.each<[DataForm, { contentType: string; body: Uint8Array }, DataForm | undefined]>([
  ['base64', { contentType: 'application/json', body: utf8('1') }, 'base64'],
  ['base64', { contentType: TEXT, body: utf8('a') }, 'base64'],
  ['base64', { contentType: PNG, body: utf8('') }, 'base64'],
  ['text', { contentType: PNG, body: utf8('a') }, 'text'],
  ['text', { contentType: TEXT, body: utf8('') }, 'text'],
  // As text it could not be given: half a character, and what would be read as a JSON string.
  ['text', { contentType: PNG, body: BYTES }, 'base64'],
  ['text', { contentType: 'application/json', body: utf8('1') }, 'json'],
])('CE4: chosen to be %s, of %o it is %s', (chosen, data, form) => {
  expect(chosenForm(chosen, { ...data, isJson: false })).toBe(form);
});

test('CE4: when none was chosen it is what the type implies', () => {
  const data = { contentType: TEXT, body: utf8('a'), isJson: false };

  expect(chosenForm(undefined, data)).toBe('text');
  expect(chosenForm(undefined, { ...data, body: utf8('') })).toBeUndefined();
});

test.each([
  ['application/json', true],
  ['application/geo+json;a=b', true],
  ['text/json', true],
  ['a/JSON', true],
  ['application/jsonl', false],
  ['application/x; type=a/json', false],
  ['application/x-json', false],
  ['json', false],
])('CE3: whether %s is JSON: %s', (contentType, expected) => {
  expect(isJsonData(contentType)).toBe(expected);
});
