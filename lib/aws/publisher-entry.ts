/**
 * A publisher as the tail and the side item know it: a list of offset (what `next` was before its latest
 * commit), highest id, epoch and a few bytes about its latest request (format/publisher-meta).
 */
import { offset } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import { decodePublisherMeta, encodePublisherMeta } from '../format/publisher-meta.ts';
import { asBytes, asList, asNumber, bytesValue, listValue, numberValue } from './attribute.ts';
import type { Attribute } from './table.ts';

export interface PublisherEntry {
  readonly record: PublisherRecord;
  /** `next` before the commit that stored its latest request: who is lowest goes first. */
  readonly offset: number;
  /** As it is stored: what an eviction compares. */
  readonly stored: Attribute;
}

export function decodePublisherEntry(stored: Attribute): PublisherEntry {
  const what = () => 'the entry of a publisher';
  const [before, highest, kept, encoded] = asList(stored, what);
  const [base, highestId] = [asNumber(before, what), asNumber(highest, what)];
  const { count, duplicates, delta, gaps } = decodePublisherMeta(asBytes(encoded, what), what());
  const start = base + delta;
  const epoch = epochOf(kept);
  return {
    stored,
    offset: base,
    record: {
      highestId,
      ...(epoch !== undefined && { epoch }),
      latest: {
        firstId: highestId - count + 1 - gaps,
        count,
        start: offset(start),
        end: offset(start + count - duplicates),
      },
    },
  };
}

/** All but the offset, which only the commit itself knows: [id, epoch, meta], behind [next]. */
export function encodePublisherClaim(
  { highestId, epoch, latest }: PublisherRecord,
  { base }: { readonly base: number },
): readonly Attribute[] {
  const { firstId, count, start, end } = latest;
  const meta = encodePublisherMeta({
    count,
    duplicates: count - (end - start),
    delta: start - base,
    // Negative when one id stands for all of them, of a release: that is recognised by its highest id alone.
    gaps: Math.max(0, highestId - firstId - count + 1),
  });
  return [numberValue(highestId), epochValue(epoch), bytesValue(meta)];
}

/** 0 for none, else the epoch + 1, since a publisher may have epoch 0. 2^53 is still exact. */
export function epochValue(epoch: number | undefined): Attribute {
  return { N: String(epoch === undefined ? 0 : epoch + 1) };
}

function epochOf(kept: Attribute | undefined): number | undefined {
  const value = kept !== undefined && 'N' in kept ? Number(kept.N) : 0;
  return value === 0 ? undefined : value - 1;
}

export function encodePublisherEntry(
  record: PublisherRecord,
  place: { readonly base: number },
): Attribute {
  return listValue(numberValue(place.base), ...encodePublisherClaim(record, place));
}
