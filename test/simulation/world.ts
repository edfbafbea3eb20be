/**
 * A world from a seed: one table, one bucket, and processes that share them, each with its own clock,
 * randomness and bad luck. Whatever happens in it is a step that the seed decides.
 */
import type { Objects } from '../../lib/aws/objects.ts';
import type { Table } from '../../lib/aws/table.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Random } from '../../lib/ports/random.ts';
import type { Actor } from './actor.ts';
import { createChance } from './chance.ts';
import { type Faults, STORM } from './faults.ts';
import { createFaultyObjects } from './faulty-objects.ts';
import { createFaultyTable } from './faulty-table.ts';
import { createMemoryObjects, type MemoryObjects } from './memory-objects.ts';
import { createMemoryTable, type MemoryTable } from './memory-table.ts';
import { createScheduler, type RunEnd, type RunOptions, type Scheduler } from './scheduler.ts';
import { createSimulatedClock } from './simulated-clock.ts';

const TRACE_LINES_TOLD = 20;

export type TaskState<Result> =
  /** For ever, when its process has crashed. */
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Task<Result> {
  state(): TaskState<Result>;
}

export interface Process {
  readonly name: string;
  readonly table: Table;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: Random;
  hasCrashed(): boolean;
  /** Nothing of it goes on, but what it has sent may still arrive. */
  crash(): void;
  /** Stands still for so much simulated time. */
  stall(ms: number): void;
  /** Begins work, several pieces at once if wanted. Work that fails ends the run: it must expect what may happen. */
  run<Result>(work: (process: Process) => Promise<Result>): Task<Result>;
}

export interface ProcessOptions {
  /** Instead of those of the world. */
  readonly faults?: Faults;
  /** How far its wall clock is off; by chance, up to seconds, when absent. */
  readonly skewMs?: number;
}

export interface World {
  /** What is really stored, to be looked at between steps. */
  readonly table: MemoryTable;
  readonly objects: MemoryObjects;
  readonly trace: readonly string[];
  /** A new process; names are not used again. */
  process(name: string, options?: ProcessOptions): Process;
  run(options: RunOptions): Promise<RunEnd>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly faults?: Faults;
}

export function createWorld({ seed, faults = STORM }: WorldOptions): World {
  const scheduler = createScheduler(createChance(seed, 'schedule'));
  const table = createMemoryTable();
  const objects = createMemoryObjects();
  const names = new Set<string>();

  return {
    table,
    objects,
    trace: scheduler.trace,
    process(name, options = {}) {
      if (names.has(name)) throw new Error(`there is a process ${name} already`);
      names.add(name);
      const actor = {
        name,
        faults: options.faults ?? faults,
        isCrashed: false,
        stalledUntilMs: 0,
      };
      const parts = { actor, scheduler, chance: createChance(seed, `luck of ${name}`) };
      const process: Process = {
        name,
        table: createFaultyTable(table, parts),
        objects: createFaultyObjects(objects, parts),
        clock: createSimulatedClock(parts, options.skewMs),
        random: createChance(seed, `randomness of ${name}`),
        hasCrashed: () => actor.isCrashed,
        crash: () => scheduler.crash(actor),
        stall: (ms) => scheduler.stall(actor, ms),
        run: (work) => startTask({ actor, scheduler }, () => work(process)),
      };
      return process;
    },
    run: async (options) => {
      try {
        return await scheduler.run(options);
      } catch (error) {
        throw withStory(error, seed, scheduler.trace);
      }
    },
  };
}

/** A failure is told with what repeats it and with what came last. */
function withStory(error: unknown, seed: number, trace: readonly string[]): Error {
  const last = trace.slice(-TRACE_LINES_TOLD).join('\n');
  return new Error(`with seed ${seed}: ${error}\n${last}`, { cause: error });
}

function startTask<Result>(
  { actor, scheduler }: { readonly actor: Actor; readonly scheduler: Scheduler },
  work: () => Promise<Result>,
): Task<Result> {
  let state: TaskState<Result> = { kind: 'running' };
  const run = () => {
    work().then(
      (result) => {
        state = { kind: 'done', result };
        scheduler.note('done');
      },
      (error: unknown) => {
        state = { kind: 'failed', error };
        scheduler.fail(error);
      },
    );
  };
  scheduler.post({ actor, label: 'begins', place: 'process', dueMs: scheduler.nowMs(), run });
  return { state: () => state };
}
