/**
 * Makes the summary of a block from its records. Looks at each of them, hundreds of MiB in a second: what
 * has neither a key nor headers is passed over by its length, without an object of its own.
 */
import { assert } from '../core/assert.ts';
import type { GeoBox, GeoPoint } from '../core/filter/filter.ts';
import { comparedText, FilterHeaders } from '../core/filter/filter-headers.ts';
import { decodeRecord, type WireRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import { type BlockSummary, headerEntry, manyTextsEntry } from './block-summary.ts';
import { BloomBuilder } from './bloom-filter.ts';

/**
 * A header with more texts in one block, such as an id, would fill the filter of them all: that it is there says
 * as much.
 */
const TEXTS_MAX = 256;

/** A form of two bits is a content type; all parts have higher ones (wire/record). */
const BODY_ALONE_FORM_MAX = 3;

export class SummaryBuilder {
  readonly #values = new BloomBuilder();
  readonly #keys = new BloomBuilder();
  readonly #headers = new BloomBuilder();
  /** By name, until there are too many. */
  readonly #texts = new Map<string, Set<string>>();
  #hasUnfiltered = false;
  #bounds: GeoBox | undefined;

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
      headers: this.#finishHeaders(),
      hasUnfiltered: this.#hasUnfiltered,
      ...(this.#bounds && { bounds: this.#bounds }),
    };
  }

  #addParts({ key, headers }: WireRecord): void {
    if (key !== undefined) this.#keys.add(key);
    if (headers === undefined) {
      this.#hasUnfiltered = true;
      return;
    }
    const read = new FilterHeaders(headers);
    const [values, point] = [read.values(), read.point()];
    if (values === undefined) this.#hasUnfiltered = true;
    for (const value of values ?? []) this.#values.add(value);
    if (point !== undefined) this.#bounds = withPoint(this.#bounds, point);
    for (const name of Object.keys(read.members)) this.#addHeader(name, read.members[name]);
  }

  #addHeader(name: string, value: unknown): void {
    const texts = this.#texts.get(name);
    // Most of the headers there are: nothing more is made of them.
    if (texts !== undefined && texts.size > TEXTS_MAX) return;
    const text = comparedText(value);
    if (text === undefined) return;
    if (texts === undefined) this.#texts.set(name, new Set([text]));
    else texts.add(text);
  }

  #finishHeaders(): Uint8Array {
    for (const [name, texts] of this.#texts) {
      const entries = [...texts].map((text) => headerEntry(name, text));
      const isMany = texts.size > TEXTS_MAX;
      for (const entry of isMany ? [manyTextsEntry(name)] : entries) this.#headers.add(entry);
    }
    return this.#headers.finish();
  }
}

function withPoint(bounds: GeoBox | undefined, { lat, lon }: GeoPoint): GeoBox {
  if (bounds === undefined) return { minLat: lat, maxLat: lat, minLon: lon, maxLon: lon };
  return {
    minLat: Math.min(bounds.minLat, lat),
    maxLat: Math.max(bounds.maxLat, lat),
    minLon: Math.min(bounds.minLon, lon),
    maxLon: Math.max(bounds.maxLon, lon),
  };
}
