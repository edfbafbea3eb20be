/**
 * Creates and deletes incarnations (PROTOCOL R10): each one transaction over the tail, the registry and the
 * items that go with them, so that none is ever half there.
 */

import type { StreamId, StreamName } from '../core/log/ids.ts';
import type { Ulid } from '../format/ulid.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import { bytesValue, numberOf, numberValue, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { mintUlid } from './mint-ulid.ts';
import { encodeSettings } from './settings-item.ts';
import { streamIdOf } from './stream-loader.ts';
import type { Item, TransactionStep } from './table.ts';
import { controlKey, graveKey, registryKey, tailKey } from './table-key.ts';
import { encodeNewTail, type FirstRef, streamIdValue } from './tail-item.ts';

export type NewStream = Omit<StreamEntry, 'revision'>;

export interface RegistryEntry {
  readonly name: StreamName;
  readonly streamId: StreamId;
  readonly createdMs: number;
}

/** False when the name is taken; then nothing is changed. */
export async function createStream(
  { table }: AwsContext,
  stream: NewStream,
  { token, first }: { readonly token: Ulid; readonly first?: FirstRef },
): Promise<boolean> {
  const { streamId } = stream;
  const puts = [putNew(encodeRegistryEntry(stream)), ...unlistedSteps(stream, first)];
  const steps = first === undefined ? puts : [...puts, leaveGrave(streamId)];
  const result = await table.transact(steps, Buffer.from(token).toString('hex'));
  return result.kind === 'done';
}

/** A stream that no list shows: it belongs to something else. */
export function unlistedSteps(stream: NewStream, first?: FirstRef): readonly TransactionStep[] {
  const { name, streamId, settings } = stream;
  return [
    putNew(encodeNewTail(tailKey(name), streamId, first)),
    putNew(encodeControl(stream)),
    putNew(encodeSettings(streamId, { revision: 1, settings })),
  ];
}

function putNew(item: Item): TransactionStep {
  return { kind: 'put', item, condition: 'attribute_not_exists(#k)' };
}

/** Unless it was swept meanwhile: then the first messages are gone, and the stream may not come to be. */
function leaveGrave(streamId: StreamId): TransactionStep {
  const condition = 'attribute_exists(#k) AND attribute_not_exists(#w)';
  return { kind: 'delete', key: graveKey(streamId), condition };
}

/** False when that incarnation is gone already. What it left behind is swept by its grave. */
export async function deleteStream(
  context: AwsContext,
  name: StreamName,
  streamId: StreamId,
): Promise<boolean> {
  const ofThis = { condition: '#i = :id', values: { ':id': streamIdValue(streamId) } };
  const grave = graveKey(streamId);
  const result = await context.table.transact(
    [
      { kind: 'delete', key: tailKey(name), ...ofThis },
      { kind: 'delete', key: registryKey(name), ...ofThis },
      {
        kind: 'put',
        item: {
          k: textValue(grave.k),
          s: textValue(grave.s),
          d: numberValue(context.clock.nowMs()),
        },
      },
    ],
    Buffer.from(mintUlid(context)).toString('hex'),
  );
  context.streams.forget(name);
  return result.kind === 'done';
}

function encodeRegistryEntry({ name, streamId, createdMs }: NewStream): Item {
  const { k, s } = registryKey(name);
  return {
    k: textValue(k),
    s: textValue(s),
    i: streamIdValue(streamId),
    d: numberValue(createdMs),
  };
}

export function decodeRegistryEntry(item: Item): RegistryEntry {
  const { s } = item;
  return {
    name: (s !== undefined && 'S' in s ? s.S : '') as StreamName,
    streamId: streamIdOf(item),
    createdMs: numberOf(item, 'd'),
  };
}

/** se: end of what is sealed, sy: the stream's bytes up to there; fn: the collector's fence; m: the stream's name. */
function encodeControl({ name, streamId }: NewStream): Item {
  const { k, s } = controlKey(streamId);
  return {
    k: textValue(k),
    s: textValue(s),
    se: numberValue(0),
    sy: numberValue(0),
    fn: bytesValue(Uint8Array.of(0)),
    m: textValue(name),
  };
}
