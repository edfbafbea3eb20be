import { defineConfig } from 'vitest/config';

/** Thousands of connections against one server, whose memory is read from /proc: needs Linux. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/e2e/crowd/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    // A disk or a neighbour of the machine can take a tenth of a second; a fault here takes it every time.
    retry: 2,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
