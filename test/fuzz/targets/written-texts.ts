/** Positions, durations, times, names and queries as people write them: each is a value or a refusal. */
import assert from 'node:assert/strict';
import { formatDuration, parseDuration } from '../../../lib/core/log/duration.ts';
import { parseAttribute } from '../../../lib/core/log/event-attribute.ts';
import { parsePublisherName, parseStreamName } from '../../../lib/core/log/ids.ts';
import { parseInstant } from '../../../lib/core/log/instant.ts';
import { describePosition, parsePosition } from '../../../lib/core/log/position-syntax.ts';
import { parsePublishQuery } from '../../../lib/http/body/publish-options.ts';
import { parseListQuery } from '../../../lib/http/list-query.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { negotiateFormat } from '../../../lib/http/read-format.ts';
import { parseEventId } from '../../../lib/http/render/event-stream.ts';
import { readSchema, startRequest } from '../../../lib/http/schemas/read-parameters.ts';
import { parseTraceparent } from '../../../lib/http/trace-context.ts';
import { LogError } from '../../../lib/services/log-error.ts';
import { attempt } from '../attempt.ts';
import type { Chance } from '../chance.ts';
import { plainTarget } from '../run-rounds.ts';

const PIECES = [
  ...[
    'first',
    'last',
    'next',
    'stored',
    'ts:',
    'ago:',
    '-',
    '+',
    '0',
    '1',
    '9007199254740991',
    '9223372036854775808',
  ],
  ...[
    'Y',
    'M',
    'D',
    'h',
    'm',
    's',
    'ms',
    '2026-11-29',
    'T10:00:00',
    '.5',
    'Z',
    '+01:00',
    '24:00',
    'amq.',
    'varve.',
    '.',
  ],
  ...[
    '/',
    ' ',
    '\n',
    '\u0000',
    '\u0085',
    '%',
    '%2',
    '%FF',
    '%00',
    '00-',
    'f',
    '*/*',
    'text/',
    ';q=',
    ',',
    'id',
    'e',
  ],
];
const NAMES = [
  'from',
  'limit',
  'max_bytes',
  'until',
  'wait',
  'as',
  'follow',
  'key',
  'create',
  'epoch',
  '__proto__',
];

export const writtenTexts = plainTarget('written-texts', 10_000, (chance) => {
  const text = chance.text(6, PIECES);
  checkPosition(text);
  checkTimes(text);
  for (const parsed of [
    parseStreamName(text),
    parsePublisherName(text),
    parseAttribute('a', text),
  ]) {
    assert(parsed.kind === 'ok' || isReason(parsed.reason));
  }
  attempt(LogError, () => negotiateFormat(text));
  const progress = parseEventId(text);
  assert(progress === undefined || Object.values(progress).every(Number.isSafeInteger));
  const trace = parseTraceparent(text);
  assert(trace === undefined || /^[!-~]+$/.test(trace.traceparent));
  checkQueries(randomQuery(chance));
});

function checkPosition(text: string): void {
  const parsed = parsePosition(text);
  if (parsed.kind === 'ok') assert(isReason(describePosition(parsed.position)));
  else assert(isReason(parsed.reason));
}

function checkTimes(text: string): void {
  const duration = parseDuration(text);
  if (duration.kind === 'ok')
    assert.deepEqual(parseDuration(formatDuration(duration.ms)), duration);
  else assert(isReason(duration.reason));

  const instant = parseInstant(text);
  if (instant.kind === 'reject') assert(isReason(instant.reason));
  else assert(Number.isSafeInteger(instant.ms));
}

/** One line that grows no log, whatever is quoted in it. */
function isReason(reason: string): boolean {
  return reason.length > 0 && reason.length < 800 && !/[\p{Cc}\u2028\u2029]/u.test(reason);
}

function randomQuery(chance: Chance): string {
  const value = () => {
    const text = chance.text(4, PIECES);
    return chance.oneIn(3) ? text : encodeURIComponent(text.toWellFormed());
  };
  const name = () => (chance.oneIn(8) ? value() : chance.pick(NAMES));
  return `/v1/streams/s?${chance.some(4, () => `${name()}${chance.pick(['=', '=', '=', '', '=='])}${value()}`).join('&')}`;
}

function checkQueries(url: string): void {
  attempt(LogError, () => parsePublishQuery(url));
  attempt(LogError, () => parseListQuery(url));
  attempt(LogError, () => startRequest(parseQuery(url, readSchema)));
}
