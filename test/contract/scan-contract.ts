/**
 * The contract of scans: whatever a store leaves out, no message that a filter matches is among it (SPEC F7),
 * and a scan that goes on from where it ended sees everything once.
 */
import { describe, expect, test } from 'vitest';
import type { FilterPart, MessageFilter } from '../../lib/core/filter/filter.ts';
import type { StoredChunk } from '../../lib/ports/log-store.ts';
import { encodeRecords, recordBytes, type WireRecord } from '../../lib/wire/record.ts';
import { at } from '../support/batches.ts';
import { seededRandom } from '../support/seeded-random.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

interface Range {
  readonly from: number;
  readonly end: number;
  readonly bytesMax: number;
}

/** What of a message a filter may look at. */
interface Message {
  readonly value?: string;
  readonly region?: string;
  readonly place?: readonly [number, number];
}

interface Wanted {
  readonly filter: MessageFilter;
  matches(message: Message): boolean;
}

const has = (wanted: string) => (message: Message) =>
  message.value?.split(',').includes(wanted) ?? false;
const north = ({ place }: Message) => place !== undefined && place[0] >= 10;

const value = (text: string): FilterPart => ({ kind: 'value', value: text });
const NORTH: FilterPart = {
  kind: 'box',
  box: { minLat: 10, maxLat: 90, minLon: -180, maxLon: 180 },
};
const NEAR_DATE_LINE: FilterPart = { kind: 'radius', center: { lat: 0, lon: 179.9 }, radiusKm: 25 };
const SOUTH_WEST: FilterPart = {
  kind: 'polygon',
  points: [
    { lat: -90, lon: -180 },
    { lat: 0, lon: -180 },
    { lat: 0, lon: 0 },
    { lat: -90, lon: 0 },
  ],
};

function all(parts: readonly FilterPart[], matches: Wanted['matches']): Wanted {
  return { filter: { match: 'all', parts, matchUnfiltered: false }, matches };
}

function any(parts: readonly FilterPart[], matches: Wanted['matches']): Wanted {
  return { filter: { match: 'any', parts, matchUnfiltered: false }, matches };
}

const WANTED: readonly (readonly [string, Wanted])[] = [
  ['a value', all([value('v3')], has('v3'))],
  ['a value that none has', all([value('nope')], () => false)],
  ['two values', all([value('v3'), value('w')], (one) => has('v3')(one) && has('w')(one))],
  ['any of two', any([value('v3'), value('v5')], (one) => has('v3')(one) || has('v5')(one))],
  [
    'a header',
    all([{ kind: 'header', name: 'region', text: 'eu' }], ({ region }) => region === 'eu'),
  ],
  ['a box', all([NORTH], north)],
  ['a value or a box', any([value('v3'), NORTH], (one) => has('v3')(one) || north(one))],
  ['a value in a box', all([NORTH, value('v3')], (one) => has('v3')(one) && north(one))],
  [
    'a radius over the date line',
    all([NEAR_DATE_LINE], ({ place }) => place?.[0] === 0 && Math.abs(place[1]) === 179.9),
  ],
  [
    'a polygon',
    all([SOUTH_WEST], ({ place }) => place !== undefined && place[0] < 0 && place[1] < 0),
  ],
  [
    'messages without values beside one',
    {
      filter: { match: 'all', parts: [value('v3')], matchUnfiltered: true },
      matches: (one) => one.value === undefined || has('v3')(one),
    },
  ],
  ['everything', all([], () => true)],
];

const PLACES = [
  [0, 179.9],
  [0, -179.9],
  [10, 1],
  [-10, -1],
  [50, 100],
  [9.5, 0],
] as const;

type Below = (end: number) => number;

const KINDS: readonly ((below: Below) => Message)[] = [
  (below) => ({ value: someValue(below) }),
  (below) => ({ value: below(9) === 0 ? '' : someValue(below), place: somePlace(below) }),
  (below) => ({ value: someValue(below), region: below(2) === 0 ? 'eu' : 'us' }),
  (below) => (below(2) === 0 ? {} : { place: somePlace(below) }),
];

function someValue(below: Below): string {
  return `v${below(8)}${below(3) === 0 ? ',w' : ''}`;
}

function somePlace(below: Below): readonly [number, number] {
  return PLACES[below(PLACES.length)] ?? [0, 0];
}

/** Runs of messages of a kind, as most streams have them, so that there is something to leave out. */
function someMessages(seed: number): readonly (readonly Message[])[] {
  const random = seededRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  return Array.from({ length: 40 }, () => {
    const make = KINDS[below(KINDS.length)] ?? (() => ({}));
    return Array.from({ length: 1 + below(6) }, () => make(below));
  });
}

function recordOf({ value: text, region, place }: Message, offset: number): WireRecord {
  const members = {
    ...(text !== undefined && { 'x-stream-filter-value': text }),
    ...(region !== undefined && { region }),
    ...(place && { 'x-geo-lat': place[0], 'x-geo-lon': String(place[1]) }),
  };
  const isPlain = Object.keys(members).length === 0;
  return {
    body: new Uint8Array(Buffer.from(`m${offset}`)),
    contentType: 'text/plain; charset=utf-8',
    ...(!isPlain && { headers: new Uint8Array(Buffer.from(JSON.stringify(members))) }),
  };
}

export function describeScans({ ports, restart, maintain }: Subject): void {
  /** Publishes them in small segments; gives them in the order of their offsets. */
  const prepare = async (seed: number): Promise<readonly Message[]> => {
    await createStream(ports(), { segment_max_bytes: 400 });
    const messages: Message[] = [];
    for (const request of someMessages(seed)) {
      const records = request.map((message, n) => recordOf(message, messages.length + n));
      const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
      const batch = {
        count: records.length,
        records: encodeRecords(records),
        bytes,
        jsonChecked: false,
      };
      await publish(ports(), append(batch));
      messages.push(...request);
    }
    return messages;
  };

  const scan = async (range: Range, { filter }: Wanted) => {
    await ports().log.tail(STREAM);
    const { from, end, bytesMax } = range;
    const asked = { streamId: STREAM_ID, from: at(from), end: at(end), bytesMax };
    return await ports().log.scanChunks(asked, filter);
  };

  /** The offsets of all matches, going on from each end. */
  const walk = async (messages: readonly Message[], range: Range, wanted: Wanted) => {
    const found: number[] = [];
    for (let place = range.from; place < messages.length; ) {
      const { chunks, end } = await scan({ ...range, from: place }, wanted);
      expect(end).toBeGreaterThan(place);
      expect(end).toBeLessThanOrEqual(messages.length);
      found.push(...matchesIn(chunks, { place, end, messages, wanted }));
      place = end;
    }
    return found;
  };

  describe('scans', () => {
    test.each(WANTED)('F7: leave out nothing that matches %s', async (_what, wanted) => {
      const messages = await prepare(1);
      const expected = messages.flatMap((one, offset) => (wanted.matches(one) ? [offset] : []));
      const check = async () => {
        for (const [from, bytesMax] of [
          [0, 1],
          [7, 300],
          [0, 1_000_000],
        ] as const) {
          const range = { from, end: messages.length, bytesMax };
          const due = expected.filter((offset) => offset >= from);
          expect(await walk(messages, range, wanted)).toEqual(due);
        }
      };
      await check();
      await maintain();
      await check();
      await restart();
      await check();
    });

    test('F7: give nothing of what was trimmed or of a stream that is gone', async () => {
      const messages = await prepare(2);
      await ports().log.trim(STREAM_ID, at(20));
      const [, wanted] = WANTED.at(-1) ?? ['', all([], () => true)];

      const below = { from: 19, end: messages.length, bytesMax: 1_000 };
      const live = { ...below, from: 20 };

      expect(await scan(below, wanted)).toEqual({ chunks: [], end: 19 });
      expect((await scan(live, wanted)).end).toBeGreaterThan(20);
      await ports().catalog.remove(STREAM, STREAM_ID);
      expect(await scan(live, wanted)).toEqual({ chunks: [], end: 20 });
    });
  });
}

interface Looked {
  readonly place: number;
  readonly end: number;
  readonly messages: readonly Message[];
  readonly wanted: Wanted;
}

/** Also holds the chunks to be what was published, in order and apart. */
function matchesIn(chunks: readonly StoredChunk[], { place, end, messages, wanted }: Looked) {
  const given = new Set<number>();
  let behind = 0;
  for (const chunk of chunks) {
    expect(chunk.base).toBeGreaterThanOrEqual(behind);
    behind = chunk.base + chunk.count;
    expect(behind).toBeGreaterThan(place);
    const offsets = Array.from({ length: chunk.count }, (_, n) => chunk.base + n);
    expect(bodiesOf([chunk])).toEqual(offsets.map((offset) => `m${offset}`));
    for (const offset of offsets) given.add(offset);
  }
  const matches: number[] = [];
  for (let offset = place; offset < end; offset++) {
    const isWanted = wanted.matches(messages[offset] ?? {});
    if (isWanted) expect(given).toContain(offset);
    if (isWanted) matches.push(offset);
  }
  return matches;
}
