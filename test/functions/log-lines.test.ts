/** What a function tells its operators. */
import { expect, test } from 'vitest';
import { createLogTelemetry } from '../../functions/log-lines.ts';

function lineOf(error: unknown): Record<string, unknown> {
  const lines: object[] = [];
  const telemetry = createLogTelemetry((fields) => lines.push(fields));
  telemetry.error('request_failed', { request_id: 'r', side_effects: 'possible', error });
  return JSON.parse(JSON.stringify(lines[0]));
}

test('a fault is a line that filters match, with all of its causes', () => {
  const error = new Error('outer', { cause: new TypeError('inner') });

  expect(lineOf(error)).toEqual({
    level: 'error',
    event: 'request_failed',
    request_id: 'r',
    side_effects: 'possible',
    error: {
      name: 'Error',
      message: 'outer',
      stack: error.stack,
      cause: { name: 'TypeError', message: 'inner', stack: expect.any(String) },
    },
  });
});

test('causes that go in circles come to an end', () => {
  const error = new Error('circle');
  error.cause = error;

  expect(JSON.stringify(lineOf(error)).match(/"message":"circle"/g)).toHaveLength(9);
});
