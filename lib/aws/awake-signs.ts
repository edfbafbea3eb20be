/**
 * Signs that somebody was woken for a shard (PROTOCOL R12a), as the last look saw them. Who ends takes them down and
 * looks once more; one that is raised after a look wakes somebody else.
 */
import type { Table } from './table.ts';
import { clearAwake } from './wake-deliverer.ts';

export class AwakeSigns {
  readonly #table: Table;
  readonly #raised = new Set<number>();

  constructor(table: Table) {
    this.#table = table;
  }

  seen(shard: number, isRaised: boolean): void {
    if (isRaised) this.#raised.add(shard);
    else this.#raised.delete(shard);
  }

  /** True when there was one: then it is to be looked once more. */
  async takeDown(): Promise<boolean> {
    const shards = [...this.#raised];
    for (const shard of shards) await clearAwake(this.#table, shard);
    this.#raised.clear();
    return shards.length > 0;
  }
}
