import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Thousands of runs, and each mutation of the program in a process of its own. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/simulation/long/**/*.test.ts'],
    pool: 'forks',
    maxConcurrency: availableParallelism(),
    testTimeout: 1_800_000,
  },
});
