import { defineConfig } from 'vitest/config';

/** Thousands of connections against one server, whose memory is read from /proc: needs Linux. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/e2e/crowd/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
