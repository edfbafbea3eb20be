/** The rules of the house that no linter states. Each failure lists its places as `file:line`. */
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  filesAtTop,
  filesBelow,
  finding,
  findings,
  foldersIn,
  readSource,
  type SourceFile,
  withoutComments,
} from './source-files.ts';

const TEXT = ['.ts', '.mjs', '.py', '.md', '.json', '.yml', '.sh', '.html', '.css'];
const FILE_LINES_MAX = 300;
const HEADER_LINES_MAX = 6;

const sources = [...filesBelow('lib', ['.ts']), ...filesBelow('functions', ['.ts'])];
const code = sources.map(withoutComments);
const texts = [
  ...['lib', 'functions', 'scripts', 'test', 'docs'].flatMap((folder) => filesBelow(folder, TEXT)),
  ...filesAtTop(TEXT).filter((file) => file.path !== 'package-lock.json'),
].filter((file) => file.path !== 'test/tidy/tidy.test.ts');

describe('each source file', () => {
  test('opens with a doc comment of one to six lines', () => {
    expect(sources.flatMap(headerFindings)).toEqual([]);
  });

  test(`has at most ${FILE_LINES_MAX} lines`, () => {
    const long = sources.filter((file) => lineCount(file.text) > FILE_LINES_MAX);

    expect(long.map((file) => `${file.path}:${FILE_LINES_MAX + 1}: the file goes on`)).toEqual([]);
  });

  test('is named by what it does', () => {
    expect(sources.filter(isVague).map((file) => `${file.path}:1: says nothing`)).toEqual([]);
  });

  test('imports at its top alone, where the layer rules look', () => {
    // One of two stores, of which the SDK takes longer to load than the rest of the server.
    const others = code.filter(({ path }) => path !== 'lib/open-store.ts');

    expect(findings(others, /\bimport\s*\(.*/g)).toEqual([]);
  });

  test('imports files by their full name and packages that a user of Varve installs', () => {
    expect(code.flatMap(importFindings)).toEqual([]);
  });
});

describe('nothing in the repository', () => {
  test('is left to do', () => {
    expect(findings(texts, /\b(?:TODO|FIXME|XXX|HACK)\b.*/g)).toEqual([]);
  });

  test('names a folder of one machine', () => {
    expect(findings(texts, /(?<![\w./-])\/(?:tmp|work|root|home|Users)\/.*/g)).toEqual([]);
  });

  test('binds the lock file to one registry', () => {
    const lock = readSource('package-lock.json');

    expect(findings([lock], /"resolved": "http.*/g)).toEqual([]);
  });
});

describe('determinism', () => {
  const elsewhere = code.filter(
    (file) => !/^(?:lib\/(?:embedded|http|process)\/|lib\/server\.ts$|functions\/)/.test(file.path),
  );

  test.each([
    ['Date.now', /\bDate\.now\b.*/g, 'a time in ms as an argument, or the clock port'],
    ['new Date', /\bnew Date\b.*/g, 'a time in ms as an argument'],
    ['performance', /\bperformance\.now\b.*/g, 'the clock port'],
    ['timers', /\b(?:setInterval|setImmediate)\b.*/g, 'the timers port'],
    ['crypto', /\bcrypto\.(?:random|getRandom)\w*.*/g, 'the random port'],
    ['random names', /\brandom(?:UUID|Bytes|Int|FillSync)\b.*/g, 'the random port'],
  ])('%s is used at the edges alone', (_name, pattern, instead) => {
    expect(findings(elsewhere, pattern), `instead: ${instead}`).toEqual([]);
  });

  // A client has no server behind it that could hand it a clock: one file of it waits, one draws lots.
  test.each([
    ['setTimeout', /\bsetTimeout\b.*/g, 'lib/client/timer.ts'],
    ['Math.random', /\bMath\.random\b.*/g, 'lib/client/connect.ts'],
  ])('%s is used at the edges and in one file of the client', (_name, pattern, allowed) => {
    const others = elsewhere.filter(({ path }) => path !== allowed);

    expect(findings(others, pattern), 'instead: the timers port, the random port').toEqual([]);
  });

  test('core, wire and format never wait', () => {
    const pure = code.filter((file) => /^lib\/(?:core|wire|format)\//.test(file.path));

    expect(findings(pure, /\b(?:async|await|Promise)\b.*/g)).toEqual([]);
  });
});

test('each folder of lib has its layer rule in biome.json', () => {
  const rules = readSource('biome.json').text;
  const unruled = foldersIn('lib').filter(
    (folder) => !rules.includes(`"includes": ["${folder}/**"]`),
  );

  expect(unruled).toEqual([]);
});

function headerFindings(file: SourceFile): string[] {
  const header = /^\/\*\*[\s\S]*?\*\//.exec(file.text)?.[0];
  if (header === undefined) return [finding(file, 0, 'no doc comment at the top')];

  // Marks and blank lines between paragraphs do not count.
  const lines = header.split('\n').filter((line) => /[a-z]/i.test(line)).length;
  if (lines === 0) return [finding(file, 0, 'the doc comment is empty')];
  return lines > HEADER_LINES_MAX ? [finding(file, 0, `a doc comment of ${lines} lines`)] : [];
}

/** `segment-index` says something, `index` does not; `stream-manager` says no more than `manager`. */
function isVague(file: SourceFile): boolean {
  const name = basename(file.path, '.ts');
  const words = name.split(/[-.]/);
  return (
    ['index', 'types', 'misc'].includes(name) ||
    words.some((word) => /^(?:utils?|helpers?|managers?|common)$/.test(word))
  );
}

function importFindings(file: SourceFile): string[] {
  const imports = file.text.matchAll(/(?<!['"])\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g);
  return [...imports].flatMap((match) =>
    isImportable(match[2] ?? '') ? [] : [finding(file, match.index, match[0])],
  );
}

const dependencies: readonly string[] = Object.keys(
  JSON.parse(readSource('package.json').text).dependencies,
);

function isImportable(source: string): boolean {
  if (source.startsWith('.')) return source.endsWith('.ts');
  const name = source.split('/', source.startsWith('@') ? 2 : 1).join('/');
  return source.startsWith('node:') || dependencies.includes(name);
}

function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}
