/**
 * What exchanges remember of values, at this moment, and what each step does to it: a stream is noted in the very step
 * in which its commit takes effect, once for each record, and what somebody has is forgotten only when it expires.
 */
import { decodeRecord } from '../../../lib/aws/record-item.ts';
import { NEVER_MS } from '../../../lib/core/log/deduplication.ts';
import type { StreamId } from '../../../lib/core/log/ids.ts';
import type { RecordClaim, RoutingRecord } from '../../../lib/core/routing/routing-record.ts';
import type { ItemChange } from '../stored-items.ts';
import { demand } from './violation.ts';

const RECORD = /^Q[0-9a-f]{32}$/;
const COUNTER = '!';

interface Change {
  readonly before: RoutingRecord | undefined;
  readonly after: RoutingRecord | undefined;
}

/** What a commit of this step was under. */
export interface ClaimedCommit {
  readonly streamId: StreamId;
  readonly claim: RecordClaim;
}

export class StoredRecords {
  #changes: Change[] = [];
  #claimed: ClaimedCommit[] = [];

  applyItem({ key: { k, s }, before, after }: ItemChange): void {
    if (!RECORD.test(k) || s === COUNTER) return;
    const decoded = { before: before && decodeRecord(before), after: after && decodeRecord(after) };
    this.#changes.push(decoded);
  }

  /** When its commit takes effect. */
  claimed(commit: ClaimedCommit): void {
    this.#claimed.push(commit);
  }

  /** After all changes of a step. */
  check(): void {
    const [changes, claimed] = [this.#changes, this.#claimed];
    this.#changes = [];
    this.#claimed = [];
    for (const { before, after } of changes) {
      if (before !== undefined && before.rid !== after?.rid) checkReplaced(before);
    }
    const noted = changes.flatMap(notedIn);
    const stored = claimed.map(({ streamId, claim }) => `${streamId} ${claim.rid}`);
    const what = () => `noted ${noted}, stored ${stored}`;
    demand(`${noted.sort()}` === `${stored.sort()}`, 'NOTED_WRONG', what);
  }
}

/** Streams that a step has noted, each with the id of the record. */
function notedIn({ before, after }: Change): readonly string[] {
  if (after === undefined) return [];
  const known = before?.rid === after.rid ? before.taken : new Set<StreamId>();
  const isLess = [...known].some((id) => !after.taken.has(id));
  demand(!isLess, 'WENT_BACK', () => `${after.rid}: ${[...known]}, then ${[...after.taken]}`);
  return [...after.taken].filter((id) => !known.has(id)).map((id) => `${id} ${after.rid}`);
}

function checkReplaced({ rid, taken, expiresMs }: RoutingRecord): void {
  const mayGo = taken.size === 0 || expiresMs < NEVER_MS;
  demand(mayGo, 'FORGOTTEN_BUT_REMEMBERED', () => `${rid}, which ${[...taken]} have`);
}
