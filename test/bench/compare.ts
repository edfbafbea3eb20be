/** `npm run bench -- --compare A B`: two reports side by side, and how the second differs. */
import { formatFigure, type Report, type Result } from './results.ts';

export function compareReports(before: Report, after: Report): string {
  const lines = [heading('before', before), heading('after', after), ''];
  for (const result of after.results) {
    const earlier = before.results.find((other) => keyOf(other) === keyOf(result));
    lines.push(...compareResult(earlier, result));
  }
  const kept = new Set(after.results.map(keyOf));
  const gone = before.results.filter((result) => !kept.has(keyOf(result)));
  lines.push(...gone.map((result) => `${keyOf(result)}: in the first report only`));
  return `${lines.join('\n')}\n`;
}

function keyOf({ row, contender }: Result): string {
  return `${row}, ${contender}`;
}

function heading(name: string, { at, commit, node, machine, load }: Report): string {
  const where = commit === '' ? '' : ` at ${commit}`;
  return `${name.padEnd(7)} ${at}${where}, Node ${node}, ${machine}, load ${load.toFixed(2)}`;
}

function compareResult(before: Result | undefined, after: Result): string[] {
  return Object.entries(after.figures).map(([name, value]) => {
    const earlier = before?.figures[name];
    const label = `${keyOf(after)}: ${name}`.padEnd(72);
    if (earlier === undefined) return `${label} ${formatFigure(value)} (in the second report only)`;
    const change = earlier === 0 ? '' : ` (x ${(value / earlier).toFixed(2)})`;
    return `${label} ${formatFigure(earlier)} -> ${formatFigure(value)}${change}`;
  });
}
