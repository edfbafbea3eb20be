/** Every row with every contender, one after the other, so that nothing else runs beside what is measured. */
import type { Contender } from './contender.ts';
import type { Field } from './contenders/start-all.ts';
import { memoryOf } from './memory.ts';
import type { Result } from './results.ts';
import { fillUp, measureBatches } from './rows/batches.ts';
import { measureCatchUp } from './rows/catch-up.ts';
import { measureDelayed } from './rows/delayed.ts';
import { measureFilteredHistory } from './rows/filtered-history.ts';
import { measureFilteredReads } from './rows/filtered-reads.ts';
import { measureLatency } from './rows/latency.ts';
import { measureReadsBeside } from './rows/reads-beside-publishes.ts';
import { measureRetention } from './rows/retention.ts';
import { measureSingles, type RowOptions } from './rows/singles.ts';

export interface RunOptions extends RowOptions {
  /** Messages that Varve's catch-up reads; others read what they wrote in the same time. */
  readonly catchUp: number;
  /** MiB published to a stream that keeps a tenth of it. */
  readonly retention: number;
  /** Messages of which a reader wants a few. */
  readonly history: number;
  /** Messages that are held. */
  readonly backlog: number;
  /** Words of the rows to run; empty for all. */
  readonly only: string;
  tell(result: Result): void;
  progress(text: string): void;
}

type Figures = Result['figures'];
type Step = { readonly row: string; readonly contender: string; run(): Promise<Figures> };

const FILL_SECONDS_MAX = 30;

export async function runRows(field: Field, options: RunOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  const add = (result: Result) => {
    results.push(result);
    options.tell(result);
  };
  for (const { row, contender, run } of steps(field, options)) {
    if (!row.includes(options.only)) continue;
    options.progress(`${row}, ${contender}`);
    add({ row, contender, ...(await outcome(run, contender === field.varve.name)) });
  }
  for (const { name, why } of field.missing) {
    add({ row: 'all rows', contender: name, figures: {}, missing: `missing: ${why}` });
  }
  return results;
}

/** A peer that fails a row is told of, and the run goes on; with Varve it is over. */
async function outcome(
  run: Step['run'],
  isOurs: boolean,
): Promise<Pick<Result, 'figures' | 'missing'>> {
  try {
    return { figures: await run() };
  } catch (error) {
    if (isOurs) throw error;
    return { figures: {}, missing: `failed: ${error instanceof Error ? error.message : error}` };
  }
}

function* steps(field: Field, options: RunOptions): Generator<Step> {
  const { varve, bare, peers } = field;
  const all = [varve, ...peers];
  yield* all.map((contender) => memoryStep('memory idle', contender));
  for (const lanes of [1, 64, 256]) yield* singleSteps(lanes, [bare, ...all], options);
  yield {
    row: 'reads of one message beside 64 publishers',
    contender: varve.name,
    run: () => measureReadsBeside(varve, varve.port ?? 0, options),
  };
  for (const contender of all) {
    for (const form of contender.batchForms) {
      yield {
        row: `batches of 1 000 x 1 KiB, ${form}`,
        contender: contender.name,
        run: () => measureBatches(contender, form, options),
      };
    }
  }
  for (const contender of all) yield* catchUpSteps(contender, options);
  for (const followers of [1, 100]) {
    for (const contender of all) {
      yield {
        row: `publish to reader, ${followers} followers, 200/s`,
        contender: contender.name,
        run: () => measureLatency(contender, followers, { seconds: 2 * options.seconds }),
      };
    }
  }
  yield* all.map((contender) => memoryStep('memory loaded', contender));
  yield {
    row: 'filtered reads, one message of 1 000 matches',
    contender: varve.name,
    run: () => measureFilteredReads(field.place),
  };
  yield {
    row: `filtered history: 1 000 of ${options.history} messages of 1 KiB, in 100 runs`,
    contender: varve.name,
    run: () =>
      measureFilteredHistory({
        ...field.place,
        messages: options.history,
        progress: options.progress,
      }),
  };
  yield {
    row: `delayed messages of 256 B, ${options.backlog} held`,
    contender: varve.name,
    run: () =>
      measureDelayed({
        ...field.place,
        seconds: 2 * options.seconds,
        backlog: options.backlog,
        progress: options.progress,
      }),
  };
  for (const isNoise of [false, true]) {
    yield {
      row: `retention: ${options.retention} MiB of ${isNoise ? 'noise' : 'JSON'}, a tenth kept`,
      contender: varve.name,
      run: () =>
        measureRetention({
          ...field.place,
          isNoise,
          publishedMib: options.retention,
          keptMib: options.retention / 10,
          progress: options.progress,
        }),
    };
  }
}

function* singleSteps(
  lanes: number,
  contenders: readonly Pick<Contender, 'name' | 'singles'>[],
  options: RunOptions,
): Generator<Step> {
  let bareRate: number | undefined;
  for (const contender of contenders) {
    yield {
      row: `single publishes of 256 B, ${lanes} in flight`,
      contender: contender.name,
      run: async () => {
        const figures = await measureSingles(contender, lanes, options);
        const rate = figures['messages/s'];
        // The bare server is the first one.
        bareRate ??= rate;
        return { ...figures, 'of bare': rate / bareRate };
      },
    };
  }
}

function* catchUpSteps(contender: Contender, options: RunOptions): Generator<Step> {
  let count = 0;
  for (const form of contender.readForms) {
    yield {
      row: `catch-up of 1 KiB messages, ${form}`,
      contender: contender.name,
      run: async () => {
        if (count === 0) {
          options.progress(`writing what ${contender.name} is to read`);
          count = await fillUp(contender, { messages: options.catchUp, seconds: FILL_SECONDS_MAX });
        }
        return await measureCatchUp(contender, form, { runs: options.runs, count });
      },
    };
  }
}

function memoryStep(row: string, contender: Contender): Step {
  return {
    row,
    contender: contender.name,
    run: async () => {
      const { residentMib, peakMib } = await memoryOf(contender.pid);
      return { 'resident MiB': residentMib, 'peak MiB': peakMib };
    },
  };
}
