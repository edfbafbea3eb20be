/** Packing, what it makes needless, and readers of what was packed (PROTOCOL R4, R5, R7, R8). */
import { always, type Mutation } from './mutation.ts';

const PACK = 'lib/aws/pack-segment.ts';
const REMOVE = 'lib/aws/remove-packed.ts';
const COLLECT = 'lib/aws/collect-objects.ts';
const SOURCE = 'lib/aws/find-source.ts';
const READ = 'lib/aws/read-chunks.ts';

const MAY_GO = 'const mayGo = packedMs !== undefined && packedMs <= agedMs && end <= tail.base;';

export const PACKING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'pack-below-fence',
    what: 'makes a piece known that may have been collected (3m1)',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [always(PACK, '#fn < :ulid', "'")],
  },
  {
    name: 'pack-before-object',
    what: 'makes a piece known before its object is there (3m3)',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      {
        file: PACK,
        find: 'await context.objects.put(segmentObjectName({ streamId, first: from, end, ulid }), bytes);',
        replace:
          'context.objects.put(segmentObjectName({ streamId, first: from, end, ulid }), bytes).catch(() => {});',
      },
    ],
  },
  {
    name: 'pack-behind-others',
    what: 'appends a piece behind one that another packer has appended by now (3m5)',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [always(PACK, 'size(#o) = :known')],
  },
  {
    name: 'packed-too-early',
    what: 'takes a segment for packed with its first piece',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [{ file: PACK, find: 'isLast: end === segment.end', replace: 'isLast: end > 0' }],
  },
  {
    name: 'remove-unpacked',
    what: 'removes the index of what is not packed (3m4)',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [{ file: REMOVE, find: MAY_GO, replace: 'const mayGo = end <= tail.base;' }],
  },
  {
    name: 'remove-partly-packed',
    what: 'removes the index of a segment of which one piece is packed',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      {
        file: REMOVE,
        find: '{ first, end, packedMs } of',
        replace: '{ first, end, packedMs, pieces } of',
      },
      {
        file: REMOVE,
        find: MAY_GO,
        replace: 'const mayGo = pieces.length > 0 && end <= tail.base;',
      },
    ],
  },
  {
    name: 'remove-over-kept',
    what: 'removes the index between two packed segments, packed or not',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [{ file: REMOVE, find: 'else await removeRow();', replace: '' }],
  },
  {
    name: 'collect-without-fence',
    what: 'collects pieces that a packer may still make known (3m2, 5m6)',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      { file: COLLECT, find: '  await raiseFence(table, streamId, horizon);', replace: '' },
    ],
  },
  {
    name: 'collect-pieces-before-horizon',
    what: 'reads the segments before horizon and fence are raised',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      {
        file: COLLECT,
        find: '  await raiseHorizon(table, stream, horizon);',
        replace: `  const early = await referredPieces(table, streamId);
  await raiseHorizon(table, stream, horizon);`,
      },
      {
        file: COLLECT,
        find: 'referred: await referredPieces(table, streamId),',
        replace: 'referred: early,',
      },
    ],
  },
  {
    name: 'collect-pieces-before-fence',
    what: 'reads the segments between raising the horizon and the fence',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      {
        file: COLLECT,
        find: '  await raiseFence(table, streamId, horizon);',
        replace: `  const early = await referredPieces(table, streamId);
  await raiseFence(table, streamId, horizon);`,
      },
      {
        file: COLLECT,
        find: 'referred: await referredPieces(table, streamId),',
        replace: 'referred: early,',
      },
    ],
  },
  {
    name: 'collect-all-pieces',
    what: 'collects pieces without a look at the segments (5m4)',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      {
        file: COLLECT,
        find: 'referred: await referredPieces(table, streamId),',
        replace: 'referred: new Set<string>(),',
      },
    ],
  },
  {
    name: 'collect-first-pieces',
    what: 'collects the pieces of a segment that is not packed wholly',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      {
        file: COLLECT,
        find: 'for await (const { pieces } of sealedFrom(table, streamId, 0)) {',
        replace: `for await (const { pieces, packedMs } of sealedFrom(table, streamId, 0)) {
    if (packedMs === undefined) continue;`,
      },
    ],
  },
  {
    name: 'read-segment-before-index',
    what: 'takes what is in no piece and in no index any more for nothing (3r2)',
    scenario: 'history',
    seedsMax: 1_000,
    patches: [
      {
        file: SOURCE,
        find: 'return range.from < tail.next ? await packedPiece(context, tail, range.from) : undefined;',
        replace: 'return undefined;',
      },
    ],
  },
  {
    name: 'read-index-only',
    what: 'does not look at segments when an object is not there (3r1)',
    scenario: 'history',
    seedsMax: 1_000,
    patches: [
      {
        file: SOURCE,
        find: 'isSealed ? await packedPiece(context, tail, range.from) : undefined',
        replace: 'undefined as Source | undefined',
      },
      {
        file: SOURCE,
        find: 'return range.from < tail.next ? await packedPiece(context, tail, range.from) : undefined;',
        replace: 'return undefined;',
      },
    ],
  },
  {
    name: 'read-packed-once',
    what: 'takes the first chunk that was packed meanwhile for lost (3r3)',
    scenario: 'history',
    seedsMax: 1_000,
    patches: [{ file: READ, find: 'const LOOKS_MAX = 3;', replace: 'const LOOKS_MAX = 1;' }],
  },
];
