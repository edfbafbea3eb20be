/**
 * Tells what ran where: how many tests at each address, and what was left out there and why. A limit of a
 * front that leaves nothing out is one no more: the run fails by it.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { frontLimits } from '../../support/front-limits.ts';

export function createWhereabouts(fronts: ReadonlyMap<string, string>): Reporter {
  let isWhole = true;
  return {
    onInit(vitest) {
      isWhole = vitest.config.testNamePattern === undefined;
    },
    onTestRunEnd(modules) {
      const parts = Map.groupBy(modules, ({ project }) => project.name);
      for (const [name, files] of parts) process.stdout.write(`${describe(name, files)}\n`);
      if (!isWhole) return;
      const stale = [...parts].flatMap(([name, files]) => staleLimits(fronts.get(name), files));
      for (const line of stale) process.stdout.write(`${line}\n`);
      if (stale.length > 0) process.exitCode = 1;
    },
  };
}

function staleLimits(front: string | undefined, modules: readonly TestModule[]): readonly string[] {
  if (front === undefined) return [];
  return modules.flatMap((module) => {
    const notes = new Set([...module.children.allTests()].map(noteOf));
    return frontLimits(front)
      .filter(({ file, why }) => file === nameOf(module) && !notes.has(why))
      .map(({ file, why }) => `${front} leaves out nothing of ${file} any more: ${why}`);
  });
}

function describe(name: string, modules: readonly TestModule[]): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const left = Map.groupBy(
    tests.filter((test) => noteOf(test) !== undefined),
    noteOf,
  );
  const reasons = [...left].map(([why, some]) => `  ${String(some.length).padStart(5)}  ${why}`);
  const elsewhere = modules.filter((module) =>
    [...module.children.allTests()].every((test) => noteOf(test)?.startsWith('in process only')),
  );
  const ran = tests.filter((test) => test.result().state !== 'skipped').length;
  return [
    `\n${name}: ${ran} tests ran, ${tests.length - ran} did not`,
    ...reasons.sort().reverse(),
    ...(elsewhere.length > 0
      ? [`  files in process only: ${elsewhere.map(nameOf).join(', ')}`]
      : []),
  ].join('\n');
}

function noteOf(test: TestCase): string | undefined {
  const result = test.result();
  return result.state === 'skipped' ? (result.note ?? 'left out by nobody') : undefined;
}

function nameOf({ moduleId }: TestModule): string {
  return moduleId.replace(/^.*\//, '').replace('.test.ts', '');
}
