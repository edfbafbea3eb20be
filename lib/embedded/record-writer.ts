/** Lets an exchange remember values (SPEC M5): one transaction, which writes only what was not remembered. */
import type { DatabaseSync } from 'node:sqlite';
import {
  keptRecords,
  planRecord,
  type RoutingRecord,
  type ValueTry,
} from '../core/routing/routing-record.ts';
import type { RememberingExchange } from '../ports/exchanges.ts';
import { ExchangeTable } from './exchange-table.ts';
import { RoutingRecordTable } from './routing-record-table.ts';
import { transact } from './transaction.ts';

export interface RememberRequest {
  readonly exchange: RememberingExchange;
  readonly tries: readonly ValueTry[];
  readonly nowMs: number;
}

/** Undefined when the exchange is gone. */
export type Remembered = readonly (RoutingRecord | undefined)[] | undefined;

export class RecordWriter {
  readonly #database: DatabaseSync;
  readonly #exchanges: ExchangeTable;
  readonly #records: RoutingRecordTable;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#exchanges = new ExchangeTable(database);
    this.#records = new RoutingRecordTable(database);
  }

  remember({ exchange, tries, nowMs }: RememberRequest): Remembered {
    const { exchangeId, deduplication: settings } = exchange;
    return transact(this.#database, () => {
      const no = this.#exchanges.byId(exchangeId)?.no;
      if (no === undefined) return undefined;
      const before = this.#records.count(no);
      let count = before;
      const remembered = tries.map((wanted) => {
        const there = this.#records.find(no, wanted.value);
        const plan = planRecord(there, wanted, { settings, count, nowMs });
        if (plan.kind === 'none') return undefined;
        if (plan.kind === 'made') {
          this.#records.put(no, wanted.value, plan.record);
          count = plan.record.number;
        }
        return plan.record;
      });
      const made = count - before;
      if (made > 0) this.#records.keepWithin(no, { size: keptRecords(settings), made });
      return remembered;
    });
  }
}
