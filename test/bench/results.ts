/** What a run measured, as it is printed and as it is kept in a file to be compared later. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { version } from 'node:process';

export interface Result {
  readonly row: string;
  readonly contender: string;
  /** Empty when `missing` says why. Names end in their unit. */
  readonly figures: { readonly [name: string]: number };
  readonly missing?: string;
}

export interface Report {
  readonly at: string;
  readonly commit: string;
  readonly node: string;
  readonly machine: string;
  readonly pinning: string;
  /** Of the machine before the run: above 0.5 others took part in what was measured. */
  readonly load: number;
  readonly results: readonly Result[];
}

export function describeRun(pinning: string): Omit<Report, 'results'> {
  const [first] = cpus();
  return {
    at: new Date().toISOString(),
    commit: currentCommit(),
    node: version,
    machine: `${cpus().length} x ${first?.model.trim() ?? 'unknown'}`,
    pinning,
    load: loadavg()[0] ?? 0,
  };
}

/** Empty outside of a clone. */
function currentCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { stdio: 'pipe' })
      .toString()
      .trim();
  } catch {
    return '';
  }
}

export function formatResult({ row, contender, figures, missing }: Result): string {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${formatFigure(value)}`);
  return `${row.padEnd(44)} ${contender.padEnd(16)} ${missing ?? text.join('   ')}`;
}

export function formatFigure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}

export async function saveReport(file: string, report: Report): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
}

export async function loadReport(file: string): Promise<Report> {
  const report: Report = JSON.parse(await readFile(file, 'utf8'));
  if (!Array.isArray(report.results)) throw new Error(`${file} is no report of a bench`);
  return report;
}
