import { describe, expect, test } from 'vitest';
import { parseConfig } from '../lib/config.ts';

const parse = (flags: object = {}, environment: object = {}) =>
  parseConfig({ flags: { ...flags }, environment: { ...environment } });

const DEFAULTS = { port: 4600, host: '127.0.0.1', data: '.varve', insecure: false };

test('without arguments the server listens on loopback, with its data beside', () => {
  expect(parse()).toEqual({ kind: 'ok', config: DEFAULTS });
});

test('an argument goes before its environment variable', () => {
  const environment = { VARVE_PORT: '1', VARVE_HOST: 'localhost', VARVE_DATA: 'a' };

  expect(parse({}, environment)).toEqual({
    kind: 'ok',
    config: { port: 1, host: 'localhost', data: 'a', insecure: false },
  });
  expect(parse({ port: '2', host: '::1', data: 'b' }, environment)).toEqual({
    kind: 'ok',
    config: { port: 2, host: '::1', data: 'b', insecure: false },
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
