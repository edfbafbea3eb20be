/** Stored offsets on the table: the port, put together from its parts (PROTOCOL R16). */
import type { ConsumerName, StreamId } from '../core/log/ids.ts';
import { compareBytes } from '../format/ulid.ts';
import type { Consumers, StoredConsumer } from '../ports/consumers.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { countDown } from './consumer-counter.ts';
import { decodeConsumer, decodeStored } from './consumer-item.ts';
import { mintUlid } from './mint-ulid.ts';
import { saveOffset } from './save-offset.ts';
import type { Table } from './table.ts';
import { CONSUMER_PREFIX, consumerKey, consumerPartition } from './table-key.ts';

/** Whether a stream is there is told by what was seen of it last: whoever asks has just looked (LogStore.tail). */
export function createAwsConsumers(context: AwsContext): Consumers {
  const { table, streams } = context;
  const isKnown = async (id: StreamId) => (await streams.knownById(id)) !== undefined;
  return {
    async load(streamId, name) {
      if (!(await isKnown(streamId))) return undefined;
      const item = await table.get(consumerKey(streamId, name));
      return item && decodeStored(item);
    },
    save: (streamId, name, change) => saveOffset(context, streamId, { name, change }),
    remove: async (streamId, name) =>
      (await isKnown(streamId)) && (await remove(context, streamId, name)),
    list: async (streamId, query) =>
      (await isKnown(streamId)) ? await listConsumers(table, streamId, query) : [],
  };
}

async function remove(context: AwsContext, id: StreamId, name: ConsumerName): Promise<boolean> {
  const condition = 'attribute_exists(#k)';
  const result = await context.table.transact(
    [{ kind: 'delete', key: consumerKey(id, name), condition }, countDown(id)],
    Buffer.from(mintUlid(context)).toString('hex'),
  );
  if (result.kind === 'done') return true;
  if (result.steps[0]?.refused) return false;
  throw new StoreError(`the consumers of stream ${id} are counted as none, and there is one`, {
    kind: 'corrupt',
    sideEffects: 'none',
  });
}

async function listConsumers(
  table: Table,
  id: StreamId,
  { prefix, startAfter, limit }: ListQuery,
): Promise<readonly StoredConsumer[]> {
  const consumers: StoredConsumer[] = [];
  const isBehind = compareBytes(Buffer.from(startAfter), Buffer.from(prefix)) > 0;
  const from = `${CONSUMER_PREFIX}${isBehind ? startAfter : prefix}`;
  let page: string | undefined;
  do {
    const found = await table.query({
      k: consumerPartition(id),
      from,
      // One more, since the range begins with the name that was given last.
      limit: limit - consumers.length + 1,
      ...(page !== undefined && { page }),
    });
    for (const item of found.items) {
      const consumer = decodeConsumer(item);
      if (consumer.name === startAfter) continue;
      if (!consumer.name.startsWith(prefix) || consumers.length === limit) return consumers;
      consumers.push(consumer);
    }
    page = found.next;
  } while (page !== undefined);
  return consumers;
}
