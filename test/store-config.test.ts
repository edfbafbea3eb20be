import { expect, test } from 'vitest';
import { parseLinger, parseMaintainEvery, parseStore } from '../lib/store-config.ts';

const store = (flags: object = {}, environment: object = {}) =>
  parseStore({ flags: { ...flags }, environment: { ...environment } });
const linger = (given: string | undefined, kind: 'embedded' | 'aws' = 'embedded') =>
  parseLinger({ flags: { linger: given }, environment: {} }, kind);

const AWS = { store: 'aws', bucket: 'b', table: 't' };
const REGION = { AWS_REGION: 'eu-central-1' };

test('a store is a folder unless another one is asked for', () => {
  expect(store()).toEqual({ kind: 'ok', store: { kind: 'embedded', data: '.varve' } });
  expect(store({ data: 'd' }, { VARVE_DATA: 'e' })).toEqual({
    kind: 'ok',
    store: { kind: 'embedded', data: 'd' },
  });
});

test('a store on AWS is a bucket and a table, by arguments or by the environment', () => {
  const expected = { kind: 'aws', bucket: 'b', table: 't', region: 'eu-central-1' };
  expect(store(AWS, REGION)).toEqual({ kind: 'ok', store: expected });
  const environment = { VARVE_STORE: 'aws', VARVE_BUCKET: 'b', VARVE_TABLE: 't', ...REGION };
  expect(store({}, environment)).toEqual({ kind: 'ok', store: expected });
  const endpoint = 'http://127.0.0.1:4566';
  expect(store(AWS, { ...REGION, AWS_ENDPOINT_URL: endpoint })).toEqual({
    kind: 'ok',
    store: { ...expected, endpoint },
  });
});

test.each([
  [{ store: 's3' }, REGION, '--store must be embedded or aws, not "s3"'],
  [{ data: '' }, REGION, '--data must be a folder'],
  [{ ...AWS, bucket: '' }, REGION, '--store aws needs --bucket: the S3 bucket of the stage'],
  [
    { store: 'aws', bucket: 'b' },
    REGION,
    '--store aws needs --table: the DynamoDB table of the stage',
  ],
  [AWS, {}, '--store aws needs AWS_REGION in the environment'],
  [AWS, { ...REGION, AWS_ENDPOINT_URL: 'here' }, 'AWS_ENDPOINT_URL is no URL: "here"'],
])('what is missing or wrong is named: %j %j', (flags, environment, reason) => {
  expect(store(flags, environment)).toEqual({ kind: 'reject', reason });
});

test('P1: publishes wait for others to share a commit where a commit is slow', () => {
  expect(linger(undefined)).toEqual({ kind: 'ok', ms: 0 });
  expect(linger(undefined, 'aws')).toEqual({ kind: 'ok', ms: 20 });
  expect(linger('0ms', 'aws')).toEqual({ kind: 'ok', ms: 0 });
  expect(linger('1s')).toEqual({ kind: 'ok', ms: 1_000 });
  expect(linger('1001ms')).toEqual({
    kind: 'reject',
    reason: '--linger is 1001ms: at most 1000ms are taken',
  });
  expect(linger('20')).toMatchObject({
    kind: 'reject',
    reason: expect.stringMatching(/^--linger: "20" is not a duration: .* such as "7D" or "500ms"$/),
  });
});

test('T5: what is due is looked for often where that costs nothing', () => {
  const every = (text?: string, kind: 'embedded' | 'aws' = 'embedded') =>
    parseMaintainEvery({ flags: { 'maintain-every': text }, environment: {} }, kind);

  expect(every()).toEqual({ kind: 'ok', ms: 10_000 });
  expect(every(undefined, 'aws')).toEqual({ kind: 'ok', ms: 60_000 });
  expect(every('1m')).toEqual({ kind: 'ok', ms: 60_000 });
  expect(every('100ms')).toEqual({ kind: 'ok', ms: 100 });
  expect(every('99ms')).toEqual({
    kind: 'reject',
    reason: '--maintain-every is 99ms: at least 100ms are taken',
  });
  expect(every('5')).toMatchObject({
    kind: 'reject',
    reason: expect.stringMatching(/^--maintain-every: /),
  });
  const environment = { VARVE_MAINTAIN_EVERY: '2s' };
  expect(parseMaintainEvery({ flags: {}, environment }, 'aws')).toEqual({ kind: 'ok', ms: 2_000 });
});
