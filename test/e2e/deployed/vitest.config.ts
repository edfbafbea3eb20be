import process from 'node:process';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { createWhereabouts } from './whereabouts.ts';

const functionUrl = process.env['VARVE_TEST_FUNCTION_URL'] ?? '';
const standIns = process.env['VARVE_TEST_STAND_INS'] ?? '';

interface Part {
  readonly name: string;
  readonly files: string;
  /** Parts come one after the other. */
  readonly order: number;
  readonly workers?: number;
  readonly env?: { readonly [name: string]: string };
}

function part({ name, files, order, workers = 1, env = {} }: Part): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      root: '.',
      include: [files],
      pool: 'forks',
      // The same modules for all files of a worker: there are many small ones.
      isolate: false,
      maxWorkers: workers,
      sequence: { groupOrder: order },
      env,
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  };
}

/** Beside those that the command line names, which take the place of any that are named here. */
const whereabouts = createWhereabouts(
  new Map([
    ['function-url', 'emulator'],
    ['stand-in', 'stand-in'],
  ]),
);

const chapters = 'test/conformance/*.test.ts';

/** What is deployed, and how it answers: `npm run test:deployed`. */
export default defineConfig({
  plugins: [
    {
      name: 'whereabouts',
      // Called for each part.
      configureVitest({ vitest, project }) {
        if (project.name === 'removal') vitest.config.reporters.push(whereabouts);
      },
    },
  ],
  test: {
    projects: [
      part({
        name: 'function-url',
        files: chapters,
        order: 1,
        env: { VARVE_TEST_FRONT: 'emulator', VARVE_TEST_URL: functionUrl },
      }),
      part({
        name: 'stand-in',
        files: chapters,
        order: 2,
        workers: standIns.split(' ').length,
        env: { VARVE_TEST_FRONT: 'stand-in', VARVE_TEST_URL: standIns },
      }),
      part({ name: 'deployed', files: 'test/e2e/deployed/stage/*.test.ts', order: 3 }),
      part({ name: 'removal', files: 'test/e2e/deployed/removal.test.ts', order: 4 }),
    ],
  },
});
