import { expect, test } from 'vitest';
import * as core from '../../lib/core/log/limits.ts';
import * as wire from '../../lib/wire/request-limits.ts';

test('P6 LR3 LR4: clients keep to the limits that the server holds', () => {
  expect(core).toMatchObject(wire);
});
