/**
 * What crosses to the writer thread, and back from any; commits do so packed (packed-commit). Errors keep
 * what they say.
 */
import type { ConsumerName, Offset, StreamId, StreamName } from '../core/log/ids.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import { StoreError, type StoreErrorKind } from '../ports/store-error.ts';
import type { OffsetSave } from './consumer-writer.ts';
import type { ExchangeChange } from './exchange-writer.ts';
import type { PackedCommit } from './packed-commit.ts';
import type { PackedSegment } from './packed-segment.ts';
import type { RememberRequest } from './record-writer.ts';
import type { SettingsChange } from './stream-writer.ts';

export type WriteJob =
  | PackedCommit
  | { readonly kind: 'create'; readonly entry: Omit<StreamEntry, 'revision'> }
  | { readonly kind: 'settings'; readonly streamId: StreamId; readonly change: SettingsChange }
  | { readonly kind: 'token'; readonly streamId: StreamId; readonly token: string | undefined }
  | { readonly kind: 'trim'; readonly streamId: StreamId; readonly before: Offset | 'next' }
  | { readonly kind: 'retain'; readonly streamId: StreamId; readonly nowMs: number }
  | { readonly kind: 'offsets'; readonly saves: readonly OffsetSave[] }
  | { readonly kind: 'forget'; readonly streamId: StreamId; readonly name: ConsumerName }
  | { readonly kind: 'exchange'; readonly change: ExchangeChange }
  | { readonly kind: 'release'; readonly ids: readonly HeldId[]; readonly commit: PackedCommit }
  | { readonly kind: 'cancel'; readonly id: HeldId }
  | { readonly kind: 'remember'; readonly request: RememberRequest }
  | { readonly kind: 'packed'; readonly segment: PackedSegment }
  | { readonly kind: 'remove'; readonly stream: StreamName; readonly streamId: StreamId }
  | { readonly kind: 'close' };

export interface ThreadRequest<Job> {
  readonly id: number;
  readonly job: Job;
}

export type ThreadAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly fault: Fault }
  | { readonly kind: 'sweep-failed'; readonly fault: Fault };

export interface Fault {
  readonly message: string;
  readonly store?: { readonly kind: StoreErrorKind; readonly sideEffects: 'none' | 'possible' };
  /** As text: an error that crosses loses its class. */
  readonly stack: string;
}

export function toFault(error: unknown): Fault {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const cause = error instanceof StoreError ? error.cause : undefined;
  return {
    message,
    stack: cause instanceof Error ? (cause.stack ?? cause.message) : (stack ?? message),
    ...(error instanceof StoreError && {
      store: { kind: error.kind, sideEffects: error.sideEffects },
    }),
  };
}

export function fromFault({ message, store, stack }: Fault): Error {
  const cause = new Error(stack);
  return store === undefined
    ? new Error(message, { cause })
    : new StoreError(message, { ...store, cause });
}
