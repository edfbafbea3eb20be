/**
 * What the functions are made of, once an instance and not before its first request: starting up is what
 * a caller waits for, and connections are kept from one request to the next.
 */

import { createPrometheusMeter, type PrometheusMeter } from '../lib/http/prometheus-meter.ts';
import type { Telemetry } from '../lib/ports/telemetry.ts';
import { createSystemClock } from '../lib/process/system-clock.ts';
import { createSystemRandom } from '../lib/process/system-random.ts';
import type { Components } from '../lib/services/components.ts';
import { createComponents } from '../lib/services/create-components.ts';
import { createLogMetrics } from '../lib/services/log-metrics.ts';
import { createLogTelemetry } from './log-lines.ts';
import { type FunctionSettings, readFunctionSettings } from './settings.ts';
import { type FunctionStore, openStore } from './store.ts';

export interface FunctionParts {
  readonly settings: FunctionSettings;
  readonly store: FunctionStore;
  readonly components: Components;
  readonly meter: PrometheusMeter;
  readonly telemetry: Telemetry;
}

async function createFunctionParts(): Promise<FunctionParts> {
  const settings = readFunctionSettings();
  const telemetry = createLogTelemetry();
  const clock = createSystemClock();
  const random = createSystemRandom();
  const meter = createPrometheusMeter();
  const store = await openStore({ settings, telemetry, meter, clock, random });
  const metrics = createLogMetrics(meter);
  const queue = { defer: setImmediate, lanes: 'stream' } as const;
  const components = createComponents({ store, clock, random, metrics, ...queue });
  return { settings, store, components, meter, telemetry };
}

/** What failed is tried again by the next request. */
export function onceAnInstance<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= create().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

export const functionParts = onceAnInstance(createFunctionParts);
