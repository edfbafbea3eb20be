/**
 * Fuzzes the API as it describes itself: `npm run test:api`. A real server in a temporary folder, the
 * fuzzer in a Python environment of its own, the same requests in every run. An operation passes when
 * every answer to it was one that the description has.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const REQUIREMENTS = here('requirements.txt');

interface Report {
  readonly operations: { readonly total: number; readonly tested: number } | null;
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly operations: readonly string[] }[];
  readonly errors: readonly { readonly count: number }[];
}

/** Made anew for each set of versions; node_modules is where things lie that can be made again. */
function pythonEnvironment(): string {
  const versions = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  const folder = here(`../../node_modules/.cache/schemathesis-${versions.slice(0, 16)}`);
  const complete = join(folder, 'complete');
  if (!existsSync(complete)) {
    rmSync(folder, { recursive: true, force: true });
    run('python3', ['-m', 'venv', folder]);
    run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--no-deps', '-r', REQUIREMENTS]);
    writeFileSync(complete, '');
  }
  return join(folder, 'bin', 'schemathesis');
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) throw new Error(`${command} cannot be started`, { cause: error });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

async function fuzz(command: string): Promise<Report> {
  using folder = temporaryFolder();
  const report = join(folder.path, 'report.json');
  const server = await startServerProcess({ data: join(folder.path, 'data') });
  try {
    const args = [
      '--config-file',
      here('schemathesis.toml'),
      'run',
      `${server.url}/v1/openapi.json`,
    ];
    // Not waited for as a whole: what the server writes meanwhile has to be read.
    const fuzzer = spawn(command, [...args, '--no-color', '--report-json-path', report], {
      stdio: 'inherit',
      cwd: folder.path,
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: here('hooks.py'),
        PYTHONDONTWRITEBYTECODE: '1',
        VARVE_ORIGIN: server.url,
      },
    });
    await once(fuzzer, 'exit');
    if (server.errors() !== '') process.stdout.write(`The server wrote:\n${server.errors()}\n`);
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    await server.end('SIGTERM');
  }
}

/** An operation that was not tried has not passed. */
function summary({ operations, test_cases, failures, errors }: Report) {
  const { total = 0, tested = 0 } = operations ?? {};
  const faulty = new Set(failures.flatMap((failure) => failure.operations)).size;
  const others = errors.reduce((sum, { count }) => sum + count, 0);
  const failed = faulty + others + (total - tested);
  return { requests: test_cases.generated, passed: tested - faulty, failed };
}

const { requests, passed, failed } = summary(await fuzz(pythonEnvironment()));
process.stdout.write(`\n${requests} requests to ${passed + failed} operations\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
