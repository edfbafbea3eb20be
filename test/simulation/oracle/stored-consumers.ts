/** Stored offsets of one incarnation as they are at this moment, and what was ever removed of them. */
import { numberOf } from '../../../lib/aws/attribute.ts';
import { decodeCounter, decodeStored } from '../../../lib/aws/consumer-item.ts';
import type { Item } from '../../../lib/aws/table.ts';
import type { StoredOffset } from '../../../lib/core/consumers/stored-offset.ts';
import { demand } from './violation.ts';

/** Consumers of this beginning only ever raise what is stored for them. */
export const RAISING = 'r';

export class StoredConsumers {
  readonly stored = new Map<string, StoredOffset>();
  /** How often an item of the name was removed. */
  readonly removals = new Map<string, number>();
  /** Names that somebody asked to remove: the others go by the limit alone. */
  readonly asked = new Set<string>();
  hasCounter = false;
  count = 0;
  revision = 0;
  /** Set when the limit removed one in the last step. */
  wasSwept = false;

  apply(sortKey: string, item: Item | undefined): void {
    if (sortKey === '!') this.#applyCounter(item);
    else this.#applyConsumer(sortKey.slice(1), item);
  }

  #applyCounter(item: Item | undefined): void {
    const { count, revision } = decodeCounter(item ?? {});
    const isBack = item !== undefined && revision < this.revision;
    demand(!isBack, 'WENT_BACK', () => `revision of the counter to ${revision}`);
    if (item?.['l'] !== undefined) demand(numberOf(item, 'l') > 0, 'LIMIT_WRONG', () => `${item}`);
    this.hasCounter = item !== undefined;
    this.count = count;
    this.revision = revision;
  }

  #applyConsumer(name: string, item: Item | undefined): void {
    const before = this.stored.get(name);
    if (item === undefined) {
      this.stored.delete(name);
      if (before === undefined) return;
      this.removals.set(name, this.removalsOf(name) + 1);
      if (!this.asked.has(name)) this.wasSwept = true;
      return;
    }
    const after = decodeStored(item);
    const isLowered = name.startsWith(RAISING) && before !== undefined && after.next < before.next;
    demand(
      !isLowered,
      'WENT_BACK',
      () => `offset of ${name} from ${before?.next} to ${after.next}`,
    );
    this.stored.set(name, after);
  }

  removalsOf(name: string): number {
    return this.removals.get(name) ?? 0;
  }
}
