/**
 * What lies between a process and its stores. Each call is a step at which it takes effect and a step at
 * which its answer arrives; by chance the one or the other does not come, comes late, or comes twice.
 */
import { StoreError } from '../../lib/ports/store-error.ts';
import type { Actor } from './actor.ts';
import { digest } from './canonical-text.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { Scheduler } from './scheduler.ts';

export interface Call<Result> {
  readonly label: string;
  /** Takes effect when it is called. */
  readonly land: () => Promise<Result>;
}

export interface Network {
  read<Result>(call: Call<Result>): Promise<Result>;
  /** A write that is sent once. */
  once<Result>(call: Call<Result>): Promise<Result>;
  /** A write that is sent again when its answer was lost. */
  harmless<Result>(call: Call<Result>): Promise<Result>;
}

type Fate = Exclude<keyof Faults, 'shortPage' | 'crash' | 'stall' | 'clockStep'>;

/** How long a caller waits for an answer. */
const TIMEOUT_MS_END = 5_000;

const READ_FATES: readonly Fate[] = ['unavailable', 'lostRequest', 'lostAnswer'];
const ONCE_FATES: readonly Fate[] = [...READ_FATES, 'late'];
const HARMLESS_FATES: readonly Fate[] = [...ONCE_FATES, 'repeated', 'lateTwin'];

export interface NetworkParts {
  readonly actor: Actor;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
}

export function createNetwork({ actor, scheduler, chance }: NetworkParts): Network {
  function drawFate(fates: readonly Fate[]): Fate | 'done' {
    return fates.find((fate) => chance.percent(actor.faults[fate])) ?? 'done';
  }

  function land<Result>(call: Call<Result>, then: (result: Result) => void, delayMs = 0): void {
    const run = () => {
      call.land().then((result) => {
        scheduler.note(`= ${digest(result)}`);
        then(result);
      }, scheduler.fail);
    };
    const [label, dueMs] = [`lands ${call.label}`, scheduler.nowMs() + delayMs];
    scheduler.post({ actor, label, place: 'network', dueMs, run });
  }

  function answer(label: string, run: () => void, delayMs = 0): void {
    scheduler.post({ actor, label, place: 'process', dueMs: scheduler.nowMs() + delayMs, run });
  }

  function send<Result>(
    call: Call<Result>,
    fates: readonly Fate[],
    sideEffects: 'none' | 'possible',
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    if (actor.isCrashed) return promise;
    const succeed = (result: Result) => answer(`hears of ${call.label}`, () => resolve(result));
    const timeoutMs = chance.below(TIMEOUT_MS_END);
    const timeOut = () =>
      answer(
        `misses ${call.label}`,
        () => reject(new StoreError(`${call.label}: no answer`, { kind: 'timeout', sideEffects })),
        timeoutMs,
      );
    const refuse = () =>
      answer(`fails to ${call.label}`, () =>
        reject(
          new StoreError(`${call.label}: not now`, { kind: 'unavailable', sideEffects: 'none' }),
        ),
      );
    const fate = drawFate(fates);
    scheduler.note(`> ${call.label}${fate === 'done' ? '' : ` (${fate})`}`);
    const ways: { readonly [fate in Fate | 'done']: () => void } = {
      done: () => land(call, succeed),
      unavailable: refuse,
      lostRequest: timeOut,
      lostAnswer: () => land(call, timeOut),
      late: () => {
        timeOut();
        land(call, ignore, timeoutMs + chance.delayMs());
      },
      repeated: () => land(call, () => land(call, succeed)),
      lateTwin: () => {
        land(call, ignore, chance.delayMs());
        land(call, succeed);
      },
    };
    ways[fate]();
    return promise;
  }

  return {
    read: (call) => send(call, READ_FATES, 'none'),
    once: (call) => send(call, ONCE_FATES, 'possible'),
    harmless: (call) => send(call, HARMLESS_FATES, 'possible'),
  };
}

function ignore(): void {}
