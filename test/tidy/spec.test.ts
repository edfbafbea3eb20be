/** Holds lib/SPEC.md and the tests together: no rule without a test, no test of a rule unheard of. */
import { expect, test } from 'vitest';
import { exists, filesBelow, finding, readSource, type SourceFile } from './source-files.ts';

interface Mention {
  readonly rule: string;
  /** Where it stands, as `file:line: rule`. */
  readonly place: string;
}

/** A bullet that begins with the bold id: `- **O7** counts back from the end`. */
const RULE = /^[-*] \*\*([A-Z]+[0-9]+)\*\*/gm;
/** A string that begins with one or more ids: `'O7: …'`, `"O6 O7: …"`. */
const TITLE = /(?<=['"`])([A-Z]+[0-9]+(?: [A-Z]+[0-9]+)*): /g;

test('each rule is written down once', () => {
  const rules = specRules();
  const seen = new Set<string>();
  const repeated = rules.filter(({ rule }) => seen.has(rule) || !seen.add(rule));

  expect(rules).not.toEqual([]);
  expect(repeated.map(({ place }) => place)).toEqual([]);
});

test('each rule has a test that names it', () => {
  const tested = new Set(testTitles().map(({ rule }) => rule));
  const untested = specRules().filter(({ rule }) => !tested.has(rule));

  expect(untested.map(({ place }) => place)).toEqual([]);
});

test('each test names rules that exist', () => {
  const known = new Set(specRules().map(({ rule }) => rule));
  const unknown = testTitles().filter(({ rule }) => !known.has(rule));

  expect(unknown.map(({ place }) => place)).toEqual([]);
});

function specRules(): Mention[] {
  if (!exists('lib/SPEC.md')) {
    throw new Error('lib/SPEC.md is missing: it lists the rules that the tests prove');
  }
  return mentions(readSource('lib/SPEC.md'), RULE);
}

function testTitles(): Mention[] {
  const tests = filesBelow('test', ['.ts']).filter(({ path }) => path.endsWith('.test.ts'));
  // The tests in this folder quote the notation itself.
  const others = tests.filter(({ path }) => !path.startsWith('test/tidy/'));
  return others.flatMap((file) => mentions(file, TITLE));
}

function mentions(file: SourceFile, pattern: RegExp): Mention[] {
  return [...file.text.matchAll(pattern)].flatMap((match) =>
    (match[1] ?? '').split(' ').map((rule) => ({ rule, place: finding(file, match.index, rule) })),
  );
}
