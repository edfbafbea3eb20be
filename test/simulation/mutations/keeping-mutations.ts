/** What a maintainer does for the segments of a stream, and for what it comes again (PROTOCOL R14). */
import type { Mutation } from './mutation.ts';

const KEEP = 'lib/aws/keep-segments.ts';
const PACK = 'lib/aws/pack-segments.ts';

export const KEEPING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'keep-without-sealing',
    what: 'leaves segments open that nobody has sealed',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [{ file: KEEP, find: '{ mustSeal: true }', replace: '{ mustSeal: false }' }],
  },
  {
    name: 'keep-without-retention',
    what: 'leaves retention to whoever opens a segment',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [
      {
        file: KEEP,
        find: 'sealed && (await retainStream(context, sealed, { nowMs: clock.nowMs() }))',
        replace: 'sealed && ({ first: 0, dropped: 0 } as unknown as RetainedStream)',
      },
    ],
  },
  {
    name: 'keep-without-expiry',
    what: 'does not come again when a segment reaches its age',
    scenario: 'limits',
    seedsMax: 1_000,
    patches: [{ file: KEEP, find: 'retained?.expiresMs, packing', replace: 'packing' }],
  },
  {
    name: 'pack-without-work',
    what: 'packs segments whose index nobody removes',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [
      {
        file: KEEP,
        find: 'if (indexed !== undefined && indexed.base < packedTo) return true;',
        replace: '',
      },
    ],
  },
  {
    name: 'pack-turn-forgotten',
    what: 'does not come again when a turn of packing is over',
    scenario: 'packing',
    seedsMax: 1_000,
    patches: [
      {
        file: PACK,
        find: 'if (isTurnOver) return { packedTo, againMs: context.clock.nowMs() };',
        replace: 'if (isTurnOver) return { packedTo };',
      },
    ],
  },
];
