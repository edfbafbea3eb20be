import { defineConfig } from 'vitest/config';

/** What takes a machine of its own for a while: `npm run test:functions`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/e2e/functions/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    // A neighbour of the machine can slow every start of one run; a fault here slows those of all.
    retry: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
