/** JSON texts, damaged: the grammar takes what `JSON.parse` takes, and the scanners find what it finds. */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { isJsonText } from '../../../lib/wire/json-grammar.ts';
import {
  compactJson,
  scanElements,
  scanFirstElements,
  scanMembers,
  withoutMembers,
} from '../../../lib/wire/json-text.ts';
import { attempt } from '../attempt.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { JSON_PIECES, randomJson } from '../random-json.ts';
import { referenceValue } from '../reference-json.ts';
import { plainTarget } from '../run-rounds.ts';

export const jsonTexts = plainTarget('json-texts', 20_000, (chance) => {
  const whole = Buffer.from(` ${randomJson(chance)}`.slice(chance.below(2)));
  const damaged = chance.oneIn(4) ? whole : mutateBytes(chance, whole, JSON_PIECES);
  const source = isUtf8(damaged) ? damaged : Buffer.from(Buffer.from(damaged).toString('utf8'));
  const parsed = attempt(SyntaxError, () => JSON.parse(textOf(source)));
  assert.equal(isJsonText(source), parsed.kind === 'ok', `of ${JSON.stringify(textOf(source))}`);
  if (parsed.kind === 'ok') checkScanners(source, parse(source));
});

function checkScanners(source: Uint8Array, value: unknown): void {
  const compact = compactJson(source);
  assert.deepEqual(parse(compact), value);
  assert.deepEqual(compactJson(compact), compact);
  const start = source.findIndex((byte) => byte > 0x20);
  if (Array.isArray(value)) checkArray(source, start, value);
  else if (typeof value === 'object' && value !== null) checkObject(source, start, value);
}

function checkArray(source: Uint8Array, start: number, value: readonly unknown[]): void {
  const pieces = scanElements(source, start);
  assert.deepEqual(
    pieces.map((piece) => parse(source.subarray(piece.start, piece.end))),
    value,
  );
  const first = scanFirstElements(source, start, 2);
  assert.deepEqual(first, { elements: pieces.slice(0, 2), count: pieces.length });
}

function checkObject(source: Uint8Array, start: number, value: object): void {
  const members = scanMembers(source, start).map(({ name, value: piece }) => {
    return [name, parse(source.subarray(piece.start, piece.end))] as const;
  });
  assert.deepEqual(Object.fromEntries(members), value);

  const names = new Set(members.map(([name]) => name).slice(0, 1));
  const others = members.filter(([name]) => !names.has(name));
  const rest = withoutMembers(source, names);
  assert.deepEqual(parse(rest), Object.fromEntries(others));
  assert.equal(scanMembers(rest, 0).length, others.length);
}

function parse(source: Uint8Array): unknown {
  return referenceValue(textOf(source));
}

function textOf(source: Uint8Array): string {
  return Buffer.from(source).toString('utf8');
}
