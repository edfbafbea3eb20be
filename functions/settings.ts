/** The settings of a function, from its environment: plain values, checked, with one line for what is wrong. */
import { env } from 'node:process';
import { parseDuration } from '../lib/core/log/duration.ts';

export interface FunctionSettings {
  readonly bucket: string;
  readonly table: string;
  readonly region: string;
  /** Of an emulator. */
  readonly endpoint?: string;
  /** Of the function that releases held messages: woken for those that are due soon. */
  readonly deliverFunction?: string;
  /** How long a read may wait: it is paid for (SPEC LR1). */
  readonly waitMsMax: number;
  /** After which a body that goes on ends by itself (SPEC LR3). */
  readonly followMsMax: number;
  /** Serves requests that nobody has signed, from any host: for emulators (SPEC A6). */
  readonly insecure: boolean;
}

const WAIT_DEFAULT = '5s';
const FOLLOW_DEFAULT = '55s';
/** Above it the front in the way of many clients cuts a connection off. */
const FOLLOW_MS_MAX = 55_000;
const WAIT_MS_MAX = 20_000;

export interface Environment {
  readonly [name: string]: string | undefined;
}

/** Throws with one line that names the variable. */
export function parseFunctionSettings(environment: Environment): FunctionSettings {
  const endpoint = environment['AWS_ENDPOINT_URL'] ?? '';
  const deliverFunction = environment['VARVE_DELIVER_FUNCTION'] ?? '';
  return {
    bucket: text('VARVE_BUCKET', environment),
    table: text('VARVE_TABLE', environment),
    region: text('AWS_REGION', environment),
    ...(endpoint !== '' && { endpoint }),
    ...(deliverFunction !== '' && { deliverFunction }),
    waitMsMax: duration('VARVE_FUNCTION_WAIT_MAX', environment, {
      byDefault: WAIT_DEFAULT,
      msMax: WAIT_MS_MAX,
    }),
    followMsMax: duration('VARVE_FUNCTION_FOLLOW_MAX', environment, {
      byDefault: FOLLOW_DEFAULT,
      msMax: FOLLOW_MS_MAX,
    }),
    insecure: flag('VARVE_INSECURE', environment),
  };
}

export function readFunctionSettings(): FunctionSettings {
  return parseFunctionSettings(env);
}

function text(name: string, environment: Environment): string {
  const value = environment[name] ?? '';
  if (value === '') throw new Error(`${name} is not set`);
  return value;
}

function flag(name: string, environment: Environment): boolean {
  const value = environment[name] ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new Error(`${name} is ${JSON.stringify(value)}: true or false`);
}

function duration(
  name: string,
  environment: Environment,
  { byDefault, msMax }: { readonly byDefault: string; readonly msMax: number },
): number {
  const parsed = parseDuration(environment[name] ?? byDefault);
  if (parsed.kind === 'reject') throw new Error(`${name}: ${parsed.reason}`);
  if (parsed.ms <= msMax) return parsed.ms;
  throw new Error(`${name} is ${parsed.ms} ms: at most ${msMax}`);
}
