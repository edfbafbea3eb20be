import { describe, expect, test } from 'vitest';
import { parseConfig } from '../lib/config.ts';

const parse = (flags: object = {}, environment: object = {}) =>
  parseConfig({ flags: { ...flags }, environment: { ...environment } });

const DEFAULTS = {
  port: 4600,
  host: '127.0.0.1',
  store: { kind: 'embedded', data: '.varve' },
  lingerMs: 0,
  maintainEveryMs: 10_000,
  insecure: false,
  corsOrigins: [],
};

test('without arguments the server listens on loopback, with its data beside', () => {
  expect(parse()).toEqual({ kind: 'ok', config: DEFAULTS });
});

test('an argument goes before its environment variable', () => {
  const environment = { VARVE_PORT: '1', VARVE_HOST: 'localhost', VARVE_DATA: 'a' };

  expect(parse({}, environment)).toEqual({
    kind: 'ok',
    config: { ...DEFAULTS, port: 1, host: 'localhost', store: { kind: 'embedded', data: 'a' } },
  });
  expect(parse({ port: '2', host: '::1', data: 'b' }, environment)).toEqual({
    kind: 'ok',
    config: { ...DEFAULTS, port: 2, host: '::1', store: { kind: 'embedded', data: 'b' } },
  });
});

describe('the address', () => {
  test.each(['127.0.0.1', '::1', 'localhost'])('A6: may be loopback: %s', (host) => {
    expect(parse({ host })).toEqual({ kind: 'ok', config: { ...DEFAULTS, host } });
  });

  test.each([
    '0.0.0.0',
    '::',
    '192.168.1.7',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'LOCALHOST',
    '*',
  ])('A6: may be no other one, and the reason says what to do: %s', (host) => {
    const refused = {
      kind: 'reject',
      reason: `--host ${host} would serve a log without authentication beyond this machine: use 127.0.0.1, or add --insecure if that is meant`,
    };

    expect(parse({ host })).toEqual(refused);
    expect(parse({}, { VARVE_HOST: host })).toEqual(refused);
  });

  test.each(['0.0.0.0', '::', '192.168.1.7'])('A6: may be any with --insecure: %s', (host) => {
    expect(parse({ host, insecure: true })).toEqual({
      kind: 'ok',
      config: { ...DEFAULTS, host, insecure: true },
    });
  });

  test('A6: is not opened by the environment, which a container may inherit', () => {
    expect(parse({ host: '0.0.0.0' }, { VARVE_INSECURE: 'true' }).kind).toBe('reject');
  });
});

test.each(['0', '1', '65535'])('the port may be %s', (port) => {
  expect(parse({ port })).toEqual({ kind: 'ok', config: { ...DEFAULTS, port: Number(port) } });
});

test.each(['65536', '99999', '-1', '1.5', '', 'http', '1e3', ' 1', '000001'])(
  'the port may not be "%s"',
  (port) => {
    expect(parse({ port })).toEqual({
      kind: 'reject',
      reason: '--port must be a number from 0 to 65535 (0 takes a free one)',
    });
  },
);

test.each([
  ['host', 'an address to listen on'],
  ['data', 'a folder'],
])('--%s may not be empty', (name, what) => {
  expect(parse({ [name]: '' })).toEqual({ kind: 'reject', reason: `--${name} must be ${what}` });
});

describe('origins of pages', () => {
  const origins = (flags: object, environment: object = {}) => {
    const parsed = parse(flags, environment);
    return parsed.kind === 'ok' ? parsed.config.corsOrigins : parsed.reason;
  };

  test.each([
    [['https://app.example'], ['https://app.example']],
    [
      ['https://app.example', 'http://localhost:5173'],
      ['https://app.example', 'http://localhost:5173'],
    ],
    [['https://a.example, http://[::1]:80,https://xn--bcher-kva.example'], undefined],
  ])('A6: are one or several, by one flag or more: %s', (given, expected) => {
    expect(origins({ 'cors-origin': given })).toEqual(
      expected ??
        '--cors-origin "http://[::1]:80" is no origin of web pages: write scheme, host and port alone, as in http://[::1]',
    );
  });

  test('A6: come from the environment, unless a flag names some', () => {
    const environment = { VARVE_CORS_ORIGINS: 'https://a.example,https://b.example' };

    expect(origins({}, environment)).toEqual(['https://a.example', 'https://b.example']);
    expect(origins({ 'cors-origin': ['https://c.example'] }, environment)).toEqual([
      'https://c.example',
    ]);
    expect(origins({}, { VARVE_CORS_ORIGINS: '' })).toEqual([]);
  });

  test.each([
    ['https://app.example/', 'https://app.example'],
    ['https://app.example/page', 'https://app.example'],
    ['HTTPS://app.example', 'https://app.example'],
    ['https://App.example', 'https://app.example'],
    ['https://app.example:443', 'https://app.example'],
    ['https://me@app.example', 'https://app.example'],
    ['https://b\u00fccher.example', 'https://xn--bcher-kva.example'],
    ['app.example', 'https://app.example'],
    ['localhost:5173', 'https://app.example'],
    ['file:///page', 'https://app.example'],
    ['null', 'https://app.example'],
    ['https://*.example', 'https://*.example'],
    ['', 'https://app.example'],
  ])('A6: are written as browsers send them, not as "%s"', (text, hint) => {
    const expected =
      text === hint
        ? [text]
        : `--cors-origin ${JSON.stringify(text)} is no origin of web pages: write scheme, host and port alone, as in ${hint}`;

    expect(origins({ 'cors-origin': [text] })).toEqual(expected);
  });

  test('A6: a part of a list may not be empty', () => {
    expect(origins({ 'cors-origin': ['https://a.example,'] })).toMatch('"" is no origin');
  });

  test('A6: may be all of them with --insecure alone', () => {
    expect(origins({ 'cors-origin': ['*'], insecure: true })).toEqual(['*']);
    expect(origins({ 'cors-origin': ['*'] })).toBe(
      '--cors-origin * would let every web page read and change the log: name the origins, or add --insecure if that is meant',
    );
    expect(origins({}, { VARVE_CORS_ORIGINS: '*' })).toMatch('--insecure');
    expect(origins({ 'cors-origin': ['*', 'https://a.example'], insecure: true })).toBe(
      '--cors-origin * allows every page: give it alone',
    );
  });
});
