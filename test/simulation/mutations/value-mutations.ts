/** Values by which messages are deduplicated (PROTOCOL R17). */
import { always, type Mutation } from './mutation.ts';

const UPDATE = 'lib/aws/value-update.ts';
const ITEM = 'lib/aws/value-item.ts';
const VALUES = 'lib/aws/known-values.ts';

const ANY_COUNT = always(UPDATE, '#x = :recorded', "'");

export const VALUE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'values-any-count',
    what: 'commits although other values were recorded since (12m1)',
    scenario: 'deduplicating',
    seedsMax: 1_000,
    patches: [ANY_COUNT],
  },
  {
    name: 'values-not-counted',
    what: 'records values without raising their count (12m3)',
    scenario: 'deduplicating',
    seedsMax: 1_000,
    patches: [
      {
        file: UPDATE,
        find: "':values': numberValue(recorded.length)",
        replace: "':values': numberValue(0)",
      },
    ],
  },
  {
    name: 'values-not-recorded',
    what: 'commits messages without the values that they carry (12m2)',
    scenario: 'deduplicating',
    seedsMax: 1_000,
    patches: [{ file: UPDATE, find: 'bytesValue(ring)', replace: 'bytesValue(tail.ring.bytes)' }],
  },
  {
    name: 'values-over-others',
    what: 'writes items of values that changed since they were read, under any count (12m8)',
    scenario: 'deduplicating',
    seedsMax: 1_000,
    patches: [
      ANY_COUNT,
      {
        file: ITEM,
        find: "condition: 'attribute_not_exists(#k)' };",
        replace: '};',
      },
      always(ITEM, '#u = :read AND #n = :number', "'"),
    ],
  },
  {
    name: 'values-before-tail',
    what: 'does not look for items when the ring leaves blanks for them',
    scenario: 'deduplicating',
    seedsMax: 1_000,
    patches: [
      { file: VALUES, find: '|| hasBlanks(tail.ring, tail.valuesRecorded, size)', replace: '' },
    ],
  },
  {
    name: 'values-ring-forgotten',
    what: 'drops the ring as soon as values have items',
    scenario: 'deduplicating',
    seedsMax: 1_000,
    patches: [
      {
        file: UPDATE,
        find: 'return isLarge(deduplication) && forgottenThrough(count, deduplication.cache_size) >= ring.number;',
        replace: 'return isLarge(deduplication) && count >= ring.number;',
      },
    ],
  },
  {
    name: 'values-removed-anyway',
    what: 'removes an item that was recorded anew since it was seen',
    scenario: 'deduplicating',
    seedsMax: 1_000,
    patches: [always('lib/aws/forgotten-values.ts', '#n = :number', "'")],
  },
];
