/**
 * Named publishers: each sends one request at a time, and sends it again until it hears that it is stored
 * or known. Now and then it repeats what it heard of long ago, or a request that is new only in part.
 */
import type { CommitOutcome } from '../../../lib/core/log/commit-batch.ts';
import type { PublisherName } from '../../../lib/core/log/ids.ts';
import { publisherName } from '../../support/batches.ts';
import { publish } from '../oracle/check-outcomes.ts';
import type { Request } from '../oracle/oracle.ts';
import { newStreamId } from './new-stream-id.ts';
import type { Stage } from './stage.ts';

const COUNT_END = 3;
const GAP_END = 3;
/** Who hears so often of nothing gives up for good: it must not go on with higher ids. */
const REPEATS_MAX = 40;

interface Publisher {
  readonly name: PublisherName;
  readonly epoch: number | undefined;
  /** Ids that it knows to be stored, rising. */
  readonly stored: number[];
}

/** Publishers that send together: one commit for all of them. */
export async function writeNamed(stage: Stage, names: readonly string[]): Promise<void> {
  const { chance } = stage;
  const epoch = chance.percent(20) ? chance.below(2) : undefined;
  const publishers: Publisher[] = names.map((name) => ({
    name: publisherName(name),
    epoch,
    stored: [],
  }));
  const stream = stage.stream();
  for (let requests = 1 + chance.below(4); requests > 0; requests--) {
    const wanted = publishers.map((publisher) => nextRequest(stage, publisher));
    const isStored = await sendUntilStored(
      stage,
      wanted.map((request) => ({ ...request, stream })),
    );
    if (!isStored) return;
    for (const [at, { ids }] of wanted.entries()) {
      const stored = publishers[at]?.stored;
      stored?.push(...ids.filter((id) => !stored.includes(id)));
    }
  }
}

interface NamedRequest {
  readonly name: PublisherName;
  readonly epoch: number | undefined;
  readonly ids: readonly number[];
}

function nextRequest({ chance }: Stage, { name, epoch, stored }: Publisher): NamedRequest {
  const repeated = chance.percent(25) ? stored.slice(stored.length - chance.below(3)) : [];
  let id = stored.at(-1) ?? 0;
  const ids = Array.from({ length: 1 + chance.below(COUNT_END) }, () => {
    id += chance.percent(70) ? 1 : 1 + chance.below(GAP_END);
    return id;
  });
  const isOldOnly = repeated.length > 0 && chance.percent(40);
  return { name, epoch, ids: isOldOnly ? repeated : [...repeated, ...ids] };
}

async function sendUntilStored(
  stage: Stage,
  wanted: readonly (NamedRequest & Pick<Request, 'stream'>)[],
): Promise<boolean> {
  const { chance, oracle } = stage;
  for (let repeats = 0; repeats < REPEATS_MAX; repeats++) {
    const isAlone = wanted.length === 1;
    const requests = await Promise.all(wanted.map((one) => requestOf(stage, one, isAlone)));
    const heard = await stage.call(({ log }) => publish(oracle, log, requests));
    if (heard.kind === 'answer') {
      if (heard.result.every(isKept)) return true;
      if (heard.result.some(isFinal)) return false;
    }
    await stage.pause(chance.below(500));
  }
  return false;
}

async function requestOf(
  stage: Stage,
  { stream, name, epoch, ids }: NamedRequest & Pick<Request, 'stream'>,
  isAlone: boolean,
): Promise<Request> {
  const { chance } = stage;
  const heard = chance.percent(20) ? await stage.call(({ log }) => log.tail(stream)) : undefined;
  const tail = heard?.kind === 'answer' ? heard.result : undefined;
  return {
    stream,
    count: ids.length,
    timeMs: stage.nowMs(),
    publisher: { name, ids, ...(epoch !== undefined && { epoch }) },
    ...(chance.percent(50) && { createAs: newStreamId(stage) }),
    // Of several together, only the first could lie where it is expected.
    ...(tail && isAlone && chance.percent(40) && { expectedOffset: tail.next }),
    ...(tail?.fencingToken !== undefined && { fencingToken: tail.fencingToken }),
  };
}

function isKept({ kind }: CommitOutcome): boolean {
  return kind !== 'reject';
}

/** Whoever has a newer epoch goes on; a stream that is missing stays so, for all that is known. */
function isFinal(outcome: CommitOutcome): boolean {
  return outcome.kind === 'reject' && outcome.code === 'publisher_fenced';
}
