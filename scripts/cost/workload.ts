/** What a bill is made for: how much is published, how often it is read, how long it is kept. */
import { parseDuration } from '../../lib/core/log/duration.ts';
import {
  MESSAGE_BYTES_MAX,
  MESSAGES_PER_REQUEST_MAX,
  REQUEST_BYTES_MAX,
} from '../../lib/core/log/limits.ts';

export interface Workload {
  /** On all streams together. */
  readonly messagesPerSecond: number;
  readonly messageBytes: number;
  /** Messages of one publish. */
  readonly batch: number;
  readonly streams: number;
  /** Each of them reads every stream. */
  readonly readers: number;
  readonly readEveryMs: number;
  readonly retentionMs: number;
  /** Named ones, on each stream. */
  readonly publishers: number;
  /** Of the function that serves the API. */
  readonly memoryMb: number;
}

export type ParsedWorkload =
  | { readonly kind: 'ok'; readonly workload: Workload }
  | { readonly kind: 'reject'; readonly reason: string };

export const FLAG_DEFAULTS = {
  'messages-per-second': '100',
  size: '1KiB',
  batch: '100',
  streams: '1',
  readers: '3',
  'read-every': '1s',
  retention: '7D',
  publishers: '1',
  memory: '1024',
} as const;

type FlagName = keyof typeof FLAG_DEFAULTS;
export type Flags = { readonly [Name in FlagName]?: string | undefined };

const UNIT_BYTES: { readonly [unit: string]: number } = {
  '': 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 * 1024,
};
/** More than the largest account has ever seen: beyond it something was mistyped. */
const COUNT_MAX = 1e9;
const MEMORY_MB = { min: 128, max: 10_240 };
/** A reader that looks more often has a stream of its own instead of requests. */
const READ_EVERY_MS_MIN = 10;

export function parseWorkload(flags: Flags): ParsedWorkload {
  try {
    return { kind: 'ok', workload: checkRequest(readFlags(flags)) };
  } catch (error) {
    if (!(error instanceof FlagFault)) throw error;
    return { kind: 'reject', reason: error.message };
  }
}

function readFlags(flags: Flags): Workload {
  const text = (name: FlagName) => flags[name] ?? FLAG_DEFAULTS[name];
  const whole = (name: FlagName, min: number, max = COUNT_MAX) =>
    wholeNumber(name, text(name), { min, max });
  return {
    messagesPerSecond: rate('messages-per-second', text('messages-per-second')),
    messageBytes: size('size', text('size')),
    batch: whole('batch', 1, MESSAGES_PER_REQUEST_MAX),
    streams: whole('streams', 1),
    readers: whole('readers', 0),
    readEveryMs: duration('read-every', text('read-every'), READ_EVERY_MS_MIN),
    retentionMs: duration('retention', text('retention'), 1),
    publishers: whole('publishers', 0),
    memoryMb: whole('memory', MEMORY_MB.min, MEMORY_MB.max),
  };
}

function checkRequest(workload: Workload): Workload {
  const { messageBytes, batch } = workload;
  if (messageBytes * batch <= REQUEST_BYTES_MAX) return workload;
  const most = Math.floor(REQUEST_BYTES_MAX / messageBytes);
  throw new FlagFault(
    `--batch ${batch} of --size ${messageBytes} is above 4 MiB, the most of one publish: at most --batch ${most}`,
  );
}

function rate(name: FlagName, text: string): number {
  const value = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= COUNT_MAX) return value;
  throw new FlagFault(`--${name} must be a number above 0, such as 0.5 or 100, not ${show(text)}`);
}

function wholeNumber(
  name: FlagName,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new FlagFault(`--${name} must be a whole number from ${min} to ${max}, not ${show(text)}`);
}

function size(name: FlagName, text: string): number {
  const [, digits = '', unit = ''] = /^([0-9]{1,9})(B|KiB|MiB)?$/.exec(text) ?? [];
  const bytes = digits === '' ? 0 : Number(digits) * (UNIT_BYTES[unit] ?? 0);
  if (bytes >= 1 && bytes <= MESSAGE_BYTES_MAX) return bytes;
  throw new FlagFault(
    `--${name} must be the bytes of a message from 1 to 1MiB, such as 512 or 4KiB, not ${show(text)}`,
  );
}

function duration(name: FlagName, text: string, minMs: number): number {
  const parsed = parseDuration(text);
  if (parsed.kind === 'reject') throw new FlagFault(`--${name}: ${parsed.reason}`);
  if (parsed.ms >= minMs) return parsed.ms;
  throw new FlagFault(`--${name} must be at least ${minMs}ms, not ${show(text)}`);
}

function show(text: string): string {
  return JSON.stringify(text);
}

class FlagFault extends Error {
  override readonly name = 'FlagFault';
}
