/**
 * What a function tells its operators: a JSON line each, which metric filters count and alarms are set on
 * (infra/alarms.yml). Written as they are: the console of the runtime would put words in front of them.
 */
import { stdout } from 'node:process';
import type { Telemetry } from '../lib/ports/telemetry.ts';

/** A chain of causes longer than this is one that goes in circles. */
const CAUSES_MAX = 8;

export function writeLogLine(fields: { readonly [name: string]: unknown }): void {
  stdout.write(`${JSON.stringify(fields)}\n`);
}

export function createLogTelemetry(write = writeLogLine): Telemetry {
  return {
    error: (event, { error, ...details }) =>
      write({ level: 'error', event, ...details, error: describe(error) }),
  };
}

function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const isDeep = depth === CAUSES_MAX;
  return {
    name,
    message,
    stack,
    ...(!isDeep && cause !== undefined && { cause: describe(cause, depth + 1) }),
  };
}
