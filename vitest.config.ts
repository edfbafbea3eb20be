import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      'test/aws/emulator/**',
      'test/e2e/crowd/**',
      'test/e2e/deployed/**',
      'test/e2e/durability/**',
      'test/e2e/functions/**',
      'test/simulation/long/**',
    ],
    pool: 'forks',
    // Far above what any test needs: reached only by one that hangs, also on a busy CI machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
