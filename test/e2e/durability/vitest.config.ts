import { defineConfig } from 'vitest/config';

/** Kills processes, traces system calls and fills disks: needs Linux, root and strace. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/e2e/durability/**/*.test.ts'],
    pool: 'forks',
    // One file at a time: they measure what reaches the disk, and disturb each other.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
