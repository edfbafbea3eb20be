/**
 * Makes the checkout runnable before any npm script starts: installs what the lock file names when
 * that has not been done, and makes sure that `node` is the Node 24 of the package `node`, since
 * lib/ is TypeScript that only newer versions run as it is.
 *
 * Runs before node_modules exists and under any Node from 18 on: plain JavaScript, no dependency.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const localNode = join(modules, '.bin', 'node');

if (!isInstalled()) install();
requireNode();

/** npm writes its hidden lock file last, so a newer package-lock.json was never installed in full. */
function isInstalled() {
  const installed = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
  const wanted = statSync(join(root, 'package-lock.json'));
  return installed !== undefined && installed.mtimeMs >= wanted.mtimeMs;
}

function install() {
  say('installing dependencies, Node 24 among them (430 MB on disk, less than a minute) ...');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, PATH: pathOutsideModules() },
    // All of it to standard error: what `npm start` prints belongs to the server alone.
    stdio: ['ignore', 2, 2],
  });
  if (npm.error) stop(`npm could not be started (${npm.error.message}): install npm 10 or newer.`);
  if (npm.status !== 0) {
    stop(
      `"npm ci" failed with ${npm.signal ?? `exit code ${npm.status}`}, for the reason npm gives above.`,
      'It needs to reach a package registry; the next run tries again.',
    );
  }
}

/** npm ci deletes node_modules, so npm itself must not run on the Node that lies in there. */
function pathOutsideModules() {
  const entries = (process.env.PATH ?? '').split(delimiter);
  return entries.filter((entry) => !entry.startsWith(modules + sep)).join(delimiter);
}

function requireNode() {
  const version = nodeVersion();
  if (version.startsWith(`v${NODE_MAJOR}.`)) return;
  stop(
    `Node ${NODE_MAJOR} is needed, but \`node\` is ${version} here.`,
    'The package "node" brings it with an install script, and npm has not run that. Run it once:',
    '  npm rebuild node --ignore-scripts=false',
    `or put a Node ${NODE_MAJOR} of your own first in PATH.`,
  );
}

/** The version that `node` means inside npm scripts, which search node_modules/.bin first. */
function nodeVersion() {
  if (!existsSync(localNode) || realpathSync(localNode) === process.execPath) {
    return process.version;
  }
  const run = spawnSync(localNode, ['--version'], { encoding: 'utf8' });
  return run.stdout?.trim() || 'unusable';
}

function say(...lines) {
  process.stderr.write(`varve: ${lines.join('\n       ')}\n`);
}

function stop(...lines) {
  say(...lines);
  process.exit(1);
}
