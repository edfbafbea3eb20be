/** The bill of Varve, against figures that were worked out by hand. */
import { expect, test } from 'vitest';
import { OPERATION_UNITS } from '../../../scripts/cost/operation-units.ts';
import { monthlyUnits, varveBill } from '../../../scripts/cost/varve-bill.ts';
import { SECONDS_PER_MONTH, volumeOf } from '../../../scripts/cost/volume.ts';
import { tracked } from './workloads.ts';

const PUBLISHES = 100 * SECONDS_PER_MONTH;

function perGib(batch: number): number {
  const workload = tracked(batch);
  return varveBill(workload).usd / volumeOf(workload).gibIn;
}

// The figures rest on medians of what functions wait for, which are 15 % below the means that are paid
// for, and hold a share for merging chunks into segments, which is most of the difference at 1 MiB.
test.each([
  [1, 9.89],
  [64, 0.156],
  [256, 0.04],
  [1_024, 0.011],
])('publishes of %i KiB come to about $%f a GiB', (batch, usd) => {
  expect(Math.abs(perGib(batch) / usd - 1)).toBeLessThan(0.05);
});

test('its lines are the units of all operations at the prices of AWS', () => {
  const bill = varveBill(tracked(1));
  const usd = Object.fromEntries(bill.lines.map((line) => [line.what, Math.round(line.usd)]));

  expect(usd).toEqual({
    // 262.8 million, at $5.
    'S3 PUT': 1_314,
    // Each of the three readers fetches each chunk, at $0.40.
    'S3 GET': 315,
    'S3 GiB-months': 0,
    // A unit and an eighth, and a sixteenth when the index item goes, at $0.625.
    'DynamoDB write units': Math.round(262.8 * 1.1875 * 0.625),
    // A look for each publish by each reader, at $0.125.
    'DynamoDB read units': Math.round((3 * 262.8 + 0.7) * 0.125),
    'DynamoDB GiB-months': 0,
    // Four times 262.8 million, at $0.20.
    'Lambda requests': 210,
    // 87 ms of a publish, and 9 ms and 38 ms of each of three looks, with half a GiB.
    'Lambda GiB-seconds': 400,
  });
  expect(bill.usd).toBe(bill.lines.reduce((sum, line) => sum + line.usd, 0));
});

test('a segment is sealed for each 64 MiB, or for each day', () => {
  const busy = tracked(1_024);
  const quiet = { ...busy, messagesPerSecond: 1, batch: 1, streams: 10, readers: 0 };
  const writesOfPublishes = (workload: typeof busy) => {
    const { publishes } = volumeOf(workload);
    return publishes + (publishes / 16) * 3;
  };
  const { spill, sealSegment, removeIndexItem, removeSegment } = OPERATION_UNITS;
  const { keepSegments, dropSegment, removalPass } = OPERATION_UNITS;
  const each = [spill, sealSegment, keepSegments, keepSegments, dropSegment];
  const perSegment = [...each, removeIndexItem, removeSegment].reduce(
    (sum, { writeUnits }) => sum + writeUnits,
    0,
  );

  const segments = [busy, quiet].map((workload, index) => {
    const { writeUnits } = monthlyUnits(workload, volumeOf(workload));
    // What is to be removed is so each hour, which for a day's segments is one by one.
    const removals = index === 0 ? 730 : (10 * 730) / 24;
    const passes = removals * removalPass.writeUnits;
    return Math.round((writeUnits - writesOfPublishes(workload) - passes) / perSegment);
  });

  expect(segments).toEqual([PUBLISHES / 64, Math.round((10 * 730) / 24)]);
});

test.each([
  ['none', 0, { writeUnits: 1, readUnits: 0 }],
  ['twelve', 12, { writeUnits: 1, readUnits: 0 }],
  ['thirty-one', 31, { writeUnits: 2, readUnits: 0 }],
  // 13 write and 4 read units for 16 that leave the tail, 3 read units for one that comes back.
  ['a hundred', 100, { writeUnits: 2 + 13 / 16, readUnits: 3 + 4 / 16 }],
  // Who is forgotten has its name stored again.
  ['a thousand', 1_000, { writeUnits: 3 + 13 / 16, readUnits: 3 + 4 / 16 }],
])('with %s of them as named publishers a publish is dearer', (_what, publishers, expected) => {
  const workload = { ...tracked(1), readers: 0, publishers };
  const unnamed = { ...workload, publishers: 0 };
  const [units, least] = [workload, unnamed].map((each) => monthlyUnits(each, volumeOf(each)));
  const more = (name: 'writeUnits' | 'readUnits') =>
    ((units?.[name] ?? 0) - (least?.[name] ?? 0)) / PUBLISHES;

  expect(1 + more('writeUnits')).toBeCloseTo(expected.writeUnits, 6);
  expect(more('readUnits')).toBeCloseTo(expected.readUnits, 6);
});

test('what is kept for longer than an hour is packed: a GET for each publish, a PUT for each piece', () => {
  const short = tracked(256);
  const kept = { ...short, retentionMs: 24 * 3_600_000 };
  const [packed, least] = [kept, short].map((each) => monthlyUnits(each, volumeOf(each)));
  const more = (name: 'puts' | 'gets') => (packed?.[name] ?? 0) - (least?.[name] ?? 0);

  expect(more('gets') / PUBLISHES).toBeCloseTo(1, 3);
  // A segment of 64 MiB is three pieces of up to 24, and 256 publishes of 256 KiB.
  expect(more('puts') / PUBLISHES).toBeCloseTo(3 / 256, 6);
});

test('what is kept is stored at the price of S3', () => {
  const month = { ...tracked(1_024), retentionMs: SECONDS_PER_MONTH * 1_000 };
  const stored = varveBill(month).lines.find(({ what }) => what === 'S3 GiB-months');

  expect(stored?.quantity).toBeCloseTo(volumeOf(month).gibIn, 6);
  expect(stored?.usd).toBeCloseTo(volumeOf(month).gibIn * 0.023, 6);
});
