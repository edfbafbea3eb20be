/**
 * Where a scenario plays: services that share one table and one bucket, and clients that call them. A call
 * goes to any service; who hears nothing for some time asks another one, while the first may still go on.
 */
import type { StreamName } from '../../../lib/core/log/ids.ts';
import { StoreError } from '../../../lib/ports/store-error.ts';
import { LogError } from '../../../lib/services/log-error.ts';
import { type Chance, createChance } from '../chance.ts';
import { CALM, STORM } from '../faults.ts';
import { Oracle } from '../oracle/oracle.ts';
import type { Process, ProcessOptions, World } from '../world.ts';
import { createService, type Service } from './service.ts';

export type Heard<Result> =
  | { readonly kind: 'answer'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: StoreError | LogError }
  | { readonly kind: 'silence' };

const SLOW: ProcessOptions = { faults: { ...STORM, stall: 30 } };
const SILENCE_MS_MIN = 2_000;
const SILENCE_MS_END = 60_000;

export class Stage {
  readonly world: World;
  readonly oracle: Oracle;
  readonly chance: Chance;
  readonly streams: readonly StreamName[];
  /** Clients are outside: nothing happens to them. */
  readonly #outside: Process;
  readonly #services: Service[] = [];
  #slow: Service | undefined;
  #started = 0;
  #numbers = 0;

  constructor(
    world: World,
    { seed, services, streams }: { seed: number; services: number; streams: readonly StreamName[] },
  ) {
    this.world = world;
    this.chance = createChance(seed, 'clients');
    this.streams = streams;
    this.#outside = world.process('clients', { faults: CALM, skewMs: 0 });
    this.oracle = new Oracle(world, () => this.nowMs());
    for (let count = 0; count < services; count++) this.#services.push(this.#start());
  }

  nowMs(): number {
    return this.#outside.clock.nowMs();
  }

  client(work: () => Promise<void>): void {
    this.#outside.run(work);
  }

  pause(ms: number): Promise<void> {
    return this.#outside.clock.wait(ms, new AbortController().signal);
  }

  /** One that nobody else has. */
  newNumber(): number {
    return this.#numbers++;
  }

  stream(): StreamName {
    const name = this.streams[this.chance.below(this.streams.length)];
    if (name === undefined) throw new Error('a scenario without streams');
    return name;
  }

  /** All clients and services end here; what they sent may still arrive. */
  end(): void {
    this.#outside.crash();
    for (const { process } of this.#services) process.crash();
    this.#slow?.process.crash();
  }

  /** Any service does it. What its caller does not hear of is still checked. */
  async call<Result>(work: (service: Service) => Promise<Result>): Promise<Heard<Result>> {
    return await this.#callOf(this.#anyService(), work);
  }

  /** One that stands still all the time, while the others go on. */
  async callSlow<Result>(work: (service: Service) => Promise<Result>): Promise<Heard<Result>> {
    if (this.#slow === undefined || this.#slow.process.hasCrashed()) this.#slow = this.#start(SLOW);
    return await this.#callOf(this.#slow, work);
  }

  async #callOf<Result>(
    service: Service,
    work: (service: Service) => Promise<Result>,
  ): Promise<Heard<Result>> {
    const heard = Promise.withResolvers<Heard<Result>>();
    service.process.run(async () => heard.resolve(await heardOf(work(service))));
    const patienceMs = SILENCE_MS_MIN + this.chance.below(SILENCE_MS_END);
    const cancel = this.#outside.clock.alarm(patienceMs, () => heard.resolve({ kind: 'silence' }));
    try {
      return await heard.promise;
    } finally {
      cancel();
    }
  }

  #anyService(): Service {
    const at = this.chance.below(this.#services.length);
    const service = this.#services[at];
    if (service !== undefined && !service.process.hasCrashed()) return service;
    const next = this.#start();
    this.#services[at] = next;
    return next;
  }

  #start(options: ProcessOptions = {}): Service {
    const process = this.world.process(`service ${++this.#started}`, options);
    return createService(process, this.oracle);
  }
}

async function heardOf<Result>(answer: Promise<Result>): Promise<Heard<Result>> {
  try {
    return { kind: 'answer', result: await answer };
  } catch (error) {
    if (error instanceof StoreError || error instanceof LogError) return { kind: 'failed', error };
    throw error;
  }
}
