/**
 * One run: a world from a seed, clients at work in it until all is said, every step watched; then calm, one
 * pass of all work that is due, and a look at what is left.
 */
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import { streamName } from '../../support/batches.ts';
import { createChance } from '../chance.ts';
import { CALM, type Faults, STORM } from '../faults.ts';
import { createWorld, type World } from '../world.ts';
import { declare, someSettings } from './change-streams.ts';
import { finish } from './finish.ts';
import { runFor, runOut } from './run-out.ts';
import type { Scenario } from './scenario.ts';
import { createService } from './service.ts';
import { Stage } from './stage.ts';

const SERVICES_END = 5;
const PAUSE_MS_END = 2_000;
const STEPS_END = 2_500;

/** Percent of the seeds, and what happens in them. */
const WEATHERS: readonly (readonly [share: number, faults: Faults])[] = [
  [25, CALM],
  [45, { ...STORM, crash: 0.2 }],
  [30, { ...STORM, late: 8, lostAnswer: 8, lateTwin: 5, stall: 4, crash: 0.3 }],
];

export interface Run {
  readonly trace: readonly string[];
}

/** Fails with a Violation as its cause, or with what the program threw; `world` has the trace then. */
export async function runScenario(
  scenario: Scenario,
  seed: number,
  onWorld: (world: World) => void = () => {},
): Promise<Run> {
  const chance = createChance(seed, 'scenario');
  const drawn = weather(chance.below(100));
  const world = createWorld({ seed, faults: scenario.faults ?? drawn });
  onWorld(world);
  const streams = Array.from({ length: scenario.streams }, (_, at) => streamName(`s${at}`));
  const services = scenario.services ?? 1 + chance.below(SERVICES_END);
  const stage = new Stage(world, { seed, services, streams });
  await prepare(stage, scenario.settings ?? someSettings);
  for (const { work, clients, rounds } of scenario.cast) {
    for (let client = 0; client < clients; client++) {
      const count = 1 + chance.below(rounds);
      stage.client(async () => {
        for (let round = 0; round < count; round++) {
          await stage.pause(stage.chance.below(scenario.pauseMsEnd ?? PAUSE_MS_END));
          await work(stage);
        }
      });
    }
  }
  if (chance.percent(scenario.endsEarly ?? 0)) {
    await runFor(stage, chance.below(STEPS_END));
    stage.end();
  }
  await runOut(stage);
  await finish(stage);
  return { trace: world.trace };
}

function weather(percent: number): Faults {
  let left = percent;
  for (const [share, faults] of WEATHERS) {
    if (left < share) return faults;
    left -= share;
  }
  return STORM;
}

/** Streams are there as a rule; the others come into being by a publish, or by whoever creates them. */
async function prepare(stage: Stage, settings: (stage: Stage) => StreamSettings): Promise<void> {
  const { world, oracle, chance, streams } = stage;
  const service = createService(world.process('before', { faults: CALM, skewMs: 0 }), oracle);
  for (const name of streams) {
    if (chance.percent(15)) continue;
    service.process.run(() => declare(service, name, settings(stage)));
  }
  await runOut(stage);
}
