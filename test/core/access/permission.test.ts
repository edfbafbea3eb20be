import { expect, test } from 'vitest';
import { grantsOf, permits } from '../../../lib/core/access/permission.ts';

const ANYONE = { kind: 'anyone' } as const;

test('A8: without tokens anyone may do everything, monitoring too', () => {
  expect(grantsOf(ANYONE)).toEqual(['configure', 'write', 'read', 'monitoring']);
  for (const grant of grantsOf(ANYONE)) expect(permits(ANYONE, grant)).toBe(true);
});

test('A8: what is open needs no grant', () => {
  expect(permits(ANYONE, 'open')).toBe(true);
});
