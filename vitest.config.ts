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
    // Each thread of a store under test loads the WebAssembly that strips its types. Now and then V8 aborted while it
    // freed a wrapper for such code that it had made faster (Node 24: "Check failed: jit_page.has_value()").
    execArgv: ['--wasm-wrapper-tiering-budget=2000000000'],
    // Strips once what many threads load: they start several times faster.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/stripped' },
    // Far above what any test needs: reached only by one that hangs, also on a busy CI machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
