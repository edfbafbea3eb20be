/**
 * Makes the summary of a block from its records. Looks at each of them, hundreds of MiB in a second: what
 * has neither a key nor headers is passed over by its length, without an object of its own.
 */
import { assert } from '../core/assert.ts';
import type { GeoPoint } from '../core/filter/filter.ts';
import { FilterHeaders } from '../core/filter/filter-headers.ts';
import { decodeRecord, type WireRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import type { BlockSummary, GeoBounds } from './block-summary.ts';
import { BloomBuilder } from './bloom-filter.ts';

/** A form of two bits is a content type; all parts have higher ones (wire/record). */
const BODY_ALONE_FORM_MAX = 3;

export class SummaryBuilder {
  readonly #values = new BloomBuilder();
  readonly #keys = new BloomBuilder();
  #hasUnfiltered = false;
  #bounds: GeoBounds | undefined;

  /** Throws when these are not `count` records: what is sealed must be readable for ever. */
  add(records: Uint8Array, count: number): void {
    const reader = new VarintReader(records);
    for (let index = 0; index < count; index++) {
      const start = reader.position;
      const length = reader.next('record length');
      const form = records[reader.position] ?? 0;
      if (length > 0 && form <= BODY_ALONE_FORM_MAX) {
        reader.skip(length, 'record');
        this.#hasUnfiltered = true;
      } else {
        reader.position = start;
        this.#addParts(decodeRecord(reader));
      }
    }
    assert(
      reader.position === records.length,
      () => `${count} records of ${reader.position} bytes in ${records.length}`,
    );
  }

  finish(): BlockSummary {
    return {
      values: this.#values.finish(),
      keys: this.#keys.finish(),
      hasUnfiltered: this.#hasUnfiltered,
      ...(this.#bounds && { bounds: this.#bounds }),
    };
  }

  #addParts({ key, headers }: WireRecord): void {
    if (key !== undefined) this.#keys.add(key);
    const read = headers && new FilterHeaders(headers);
    const [values, point] = [read?.values(), read?.point()];
    if (values === undefined) this.#hasUnfiltered = true;
    for (const value of values ?? []) this.#values.add(value);
    if (point !== undefined) this.#bounds = withPoint(this.#bounds, point);
  }
}

function withPoint(bounds: GeoBounds | undefined, { lat, lon }: GeoPoint): GeoBounds {
  if (bounds === undefined) return { minLat: lat, maxLat: lat, minLon: lon, maxLon: lon };
  return {
    minLat: Math.min(bounds.minLat, lat),
    maxLat: Math.max(bounds.maxLat, lat),
    minLon: Math.min(bounds.minLon, lon),
    maxLon: Math.max(bounds.maxLon, lon),
  };
}
