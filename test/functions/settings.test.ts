/** The settings of a function, from its environment. */
import { expect, test } from 'vitest';
import { parseFunctionSettings } from '../../functions/settings.ts';

const GIVEN = { VARVE_BUCKET: 'b', VARVE_TABLE: 't', AWS_REGION: 'eu-west-1' };

test('what is not set has its default', () => {
  expect(parseFunctionSettings(GIVEN)).toEqual({
    bucket: 'b',
    table: 't',
    region: 'eu-west-1',
    waitMsMax: 5_000,
    followMsMax: 55_000,
    insecure: false,
  });
});

test('what is set is taken', () => {
  const environment = {
    ...GIVEN,
    VARVE_FUNCTION_WAIT_MAX: '2s',
    VARVE_FUNCTION_FOLLOW_MAX: '500ms',
    VARVE_INSECURE: 'true',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:4566',
  };

  expect(parseFunctionSettings(environment)).toMatchObject({
    waitMsMax: 2_000,
    followMsMax: 500,
    insecure: true,
    endpoint: 'http://127.0.0.1:4566',
  });
});

test.each([
  [{ VARVE_BUCKET: '' }, 'VARVE_BUCKET is not set'],
  [{ VARVE_TABLE: undefined }, 'VARVE_TABLE is not set'],
  [{ AWS_REGION: undefined }, 'AWS_REGION is not set'],
  [{ VARVE_FUNCTION_WAIT_MAX: '21s' }, 'VARVE_FUNCTION_WAIT_MAX is 21000 ms: at most 20000'],
  [{ VARVE_FUNCTION_FOLLOW_MAX: '1m' }, 'VARVE_FUNCTION_FOLLOW_MAX is 60000 ms: at most 55000'],
  [{ VARVE_FUNCTION_WAIT_MAX: '5' }, /^VARVE_FUNCTION_WAIT_MAX: "5" is not a duration/],
  [{ VARVE_INSECURE: 'yes' }, 'VARVE_INSECURE is "yes": true or false'],
])('%j is told in one line', (change, message) => {
  expect(() => parseFunctionSettings({ ...GIVEN, ...change })).toThrow(message);
});
