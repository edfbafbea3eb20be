/** Spilling, sealing, removal, collection and reading (PROTOCOL R2, R3, R5 to R8). */
import { always, type Mutation } from './mutation.ts';

const SPILL = 'lib/aws/spill-refs.ts';
const SEAL = 'lib/aws/seal-segments.ts';
const REMOVE = 'lib/aws/remove-dropped.ts';
const COLLECT = 'lib/aws/collect-objects.ts';
const READ = 'lib/aws/read-chunks.ts';

export const SEGMENT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'seal-beyond-base',
    what: 'seals refs that are in the tail still (2m1)',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [
      {
        file: SEAL,
        find: 'for await (const ref of unbrokenRefs(table, tail.streamId, range)) {',
        replace:
          'for (const ref of [...await Array.fromAsync(unbrokenRefs(table, tail.streamId, range)), ...placeRefs(tail, tail.refs)]) {',
      },
      {
        file: SEAL,
        find: 'import { lastTimeMs, type PlacedRef }',
        replace: 'import { lastTimeMs, placeRefs, type PlacedRef }',
      },
    ],
  },
  {
    name: 'seal-inside-item',
    what: 'seals up to any ref, in the middle of an index item (2m2)',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [
      {
        file: SEAL,
        find: 'if (ref.opensSegment && segment !== undefined) return',
        replace: 'if (segment !== undefined) return',
      },
    ],
  },
  {
    name: 'seal-without-control',
    what: 'seals from where another one has sealed by now (2m3)',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [always(SEAL, '#se = :first', "'")],
  },
  {
    name: 'spill-over-item',
    what: 'writes an index item over one that is there (2m4)',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [{ file: SPILL, find: `condition: 'attribute_not_exists(#k)',`, replace: '' }],
  },
  {
    name: 'spill-own-count',
    what: 'removes its own refs, not those of the item that was there (2m5)',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [
      {
        file: SPILL,
        find: 'put.item === undefined ? tail.refs.slice(0, count) : decodeIndexItem(put.item).refs',
        replace: 'tail.refs.slice(0, count)',
      },
    ],
  },
  {
    name: 'spill-any-base',
    what: 'removes refs from a tail that another one has spilled (2m6)',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [always(SPILL, '#b = :base')],
  },
  {
    name: 'spill-tail-first',
    what: 'removes refs from the tail before they are in the index (2m7)',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [
      {
        file: SPILL,
        find: '  const put = await table.put(',
        replace: `  await table.update(removal(stream, tail.refs.slice(0, count)), 'harmless');
  const put = await table.put(`,
      },
    ],
  },
  {
    name: 'spill-any-incarnation',
    what: 'removes refs from whatever stream has the name now (7m3)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [always(SPILL, '#i = :id')],
  },
  {
    name: 'spill-across-segments',
    what: 'spills the end of a segment and the next one as one item',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [
      {
        file: SPILL,
        find: 'Math.min(opening < 0 ? refs.length : opening, REFS_PER_INDEX_ITEM)',
        replace: 'Math.min(opening < 0 ? refs.length : refs.length, REFS_PER_INDEX_ITEM)',
      },
    ],
  },
  {
    name: 'spill-forgets-time',
    what: 'does not keep the maximum time of the refs that leave',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [
      {
        file: SPILL,
        find: `':time': numberValue(timeMs)`,
        replace: `':time': numberValue(tail.timeBelowMs)`,
      },
    ],
  },
  {
    name: 'remove-not-dropped',
    what: 'removes what is not dropped yet (4m1)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      {
        file: REMOVE,
        find: 'const { first } = stream.tail;',
        replace: 'const first = stream.tail.base;',
      },
    ],
  },
  {
    name: 'remove-through-segments',
    what: 'finds index items through their segment only (4m4)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      {
        file: REMOVE,
        find: 'if (boundary > 0) {',
        replace: 'for (const { end: boundary } of dropped) {',
      },
    ],
  },
  {
    name: 'remove-below-first',
    what: 'removes index items below the first offset, sealed or not (4m5)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      {
        file: REMOVE,
        find: `const boundary = kept?.first ?? numberOf(control, 'se');`,
        replace: 'const boundary = first;',
      },
    ],
  },
  {
    name: 'remove-with-late-control',
    what: 'reads the end of what is sealed after the segments (4m5b)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      {
        file: REMOVE,
        find: `const boundary = kept?.first ?? numberOf(control, 'se');`,
        replace: `const boundary =
    kept?.first ?? numberOf((await table.get(controlKey(streamId))) ?? control, 'se');`,
      },
    ],
  },
  {
    name: 'read-once',
    what: 'takes the first object that is not there for lost (4m7)',
    scenario: 'reading',
    seedsMax: 1_000,
    patches: [{ file: READ, find: 'const LOOKS_MAX = 3;', replace: 'const LOOKS_MAX = 1;' }],
  },
  {
    name: 'collect-without-horizon',
    what: 'collects objects that a commit may still refer to (5m1)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      { file: COLLECT, find: '  await raiseHorizon(table, stream, horizon);', replace: '' },
      { file: COLLECT, find: 'compareBytes(now.tail.horizon, horizon) < 0', replace: 'false' },
    ],
  },
  {
    name: 'collect-index-before-tail',
    what: 'reads the index before the tail (5m2)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      {
        file: COLLECT,
        find: '  const now = await streams.load(name);',
        replace: `  const spilled = await referredChunks(table, { ...before, refs: [] });
  const now = await streams.load(name);`,
      },
      {
        file: COLLECT,
        find: 'referred: await referredChunks(table, now.tail),',
        replace:
          'referred: new Set([...spilled, ...now.tail.refs.map(({ ulid }) => formatUlid(ulid))]),',
      },
    ],
  },
  {
    name: 'collect-reads-before-horizon',
    what: 'reads what is referred to before the horizon is raised (5m3)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      {
        file: COLLECT,
        find: '  await raiseHorizon(table, stream, horizon);',
        replace: `  const referred = await referredChunks(table, (await streams.load(name))?.tail ?? before);
  await raiseHorizon(table, stream, horizon);`,
      },
      {
        file: COLLECT,
        find: 'referred: await referredChunks(table, now.tail),',
        replace: 'referred,',
      },
    ],
  },
  {
    name: 'collect-newer-too',
    what: 'deletes objects above the horizon (5m5)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [
      {
        file: COLLECT,
        find: 'compareBytes(ulid, upTo) <= 0 ?',
        replace: 'compareBytes(ulid, ulid) <= 0 ?',
      },
    ],
  },
];
