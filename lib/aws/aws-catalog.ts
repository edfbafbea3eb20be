/**
 * Which streams there are and how they are set (PROTOCOL R10, R11). The registry lies in one partition, its
 * sort keys are the names: lists are strongly consistent and in the order of the names' bytes.
 */
import type { StreamId } from '../core/log/ids.ts';
import { effectiveSettings, type StreamSettings } from '../core/log/settings.ts';
import { compareBytes } from '../format/ulid.ts';
import type { Catalog, StreamEntry } from '../ports/catalog.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { setConsumerLimit } from './consumer-counter.ts';
import {
  createStream,
  decodeRegistryEntry,
  deleteStream,
  type RegistryEntry,
} from './create-stream.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import { decodeSettings, settingsValue } from './settings-item.ts';
import type { Item, Table } from './table.ts';
import { REGISTRY, registryKey, settingsKey } from './table-key.ts';

const ITEMS_PER_READ_MAX = 100;

export function createAwsCatalog(context: AwsContext): Catalog {
  const { table } = context;
  return {
    async load(name) {
      const item = await table.get(registryKey(name));
      if (item === undefined) return undefined;
      const [entry] = await withSettings(table, [decodeRegistryEntry(item)]);
      return entry;
    },
    create: (stream) => createStream(context, stream, { token: mintUlid(context) }),
    saveSettings: (streamId, change) => saveSettings(context, streamId, change),
    remove: (name, streamId) => deleteStream(context, name, streamId),
    async list(query) {
      return await withSettings(table, await registryPage(table, query));
    },
  };
}

async function registryPage(
  table: Table,
  { prefix, startAfter, limit }: ListQuery,
): Promise<readonly RegistryEntry[]> {
  const entries: RegistryEntry[] = [];
  const from = compareBytes(Buffer.from(startAfter), Buffer.from(prefix)) > 0 ? startAfter : prefix;
  let page: string | undefined;
  do {
    const found = await table.query({
      k: REGISTRY,
      ...(from !== '' && { from }),
      // One more, since the range begins with the name that was given last.
      limit: limit - entries.length + 1,
      ...(page !== undefined && { page }),
    });
    for (const item of found.items) {
      const entry = decodeRegistryEntry(item);
      if (entry.name === startAfter) continue;
      if (!entry.name.startsWith(prefix) || entries.length === limit) return entries;
      entries.push(entry);
    }
    page = found.next;
  } while (page !== undefined);
  return entries;
}

/** A stream that is deleted meanwhile has none, and is left out. */
async function withSettings(
  table: Table,
  entries: readonly RegistryEntry[],
): Promise<readonly StreamEntry[]> {
  const pages: (readonly Item[])[] = [];
  for (let at = 0; at < entries.length; at += ITEMS_PER_READ_MAX) {
    const some = entries.slice(at, at + ITEMS_PER_READ_MAX);
    pages.push(await table.getMany(some.map(({ streamId }) => settingsKey(streamId))));
  }
  const settings = new Map(
    pages.flat().map((item) => {
      const { k } = item;
      return [k !== undefined && 'S' in k ? k.S : '', decodeSettings(item)] as const;
    }),
  );
  return entries.flatMap((entry) => {
    const stored = settings.get(settingsKey(entry.streamId).k);
    return stored === undefined ? [] : [{ ...entry, ...stored }];
  });
}

async function saveSettings(
  context: AwsContext,
  streamId: StreamId,
  change: SettingsChange,
): Promise<boolean> {
  const stream = await context.streams.loadById(streamId);
  if (stream === undefined || !(await saveRevision(context, stream, change))) return false;
  const { consumer_limit: limit } = effectiveSettings(change.settings);
  if (limit !== effectiveSettings(stream.settings).consumer_limit) {
    // Whoever counts or removes by the limit before is refused from now on (PROTOCOL R16).
    await setConsumerLimit(context.table, streamId, { limit, revision: change.expected + 1 });
  }
  return true;
}

interface SettingsChange {
  readonly settings: StreamSettings;
  readonly expected: number;
}

/** The settings first, then the tail's epoch: a commit judged by the old ones is refused from then on. */
async function saveRevision(
  { table, streams }: AwsContext,
  stream: KnownStream,
  change: SettingsChange,
): Promise<boolean> {
  const { streamId } = stream.tail;
  const revision = change.expected + 1;
  const settings = settingsValue(change.settings);
  const saved = await table.update(
    {
      key: settingsKey(streamId),
      update: 'SET #r = :revision, #d = :settings',
      condition: '#r = :expected',
      values: {
        ':revision': numberValue(revision),
        ':settings': settings,
        ':expected': numberValue(change.expected),
      },
    },
    'once',
  );
  if (saved.kind === 'refused') return false;
  return await streams.raiseEpoch(stream, revision);
}
