/**
 * Conditions that can be left out one at a time without a fault that the simulation could find, since another
 * one holds what they hold. They stay in the program, as it must not hang on a single one.
 */
import { always, type Mutation } from './mutation.ts';

export interface HarmlessMutation extends Omit<Mutation, 'seedsMax'> {
  /** What holds instead. */
  readonly since: string;
}

const SEAL = 'lib/aws/seal-segments.ts';
const PACK = 'lib/aws/pack-segment.ts';
const TURNS = 'lib/aws/pack-segments.ts';
const REMOVE_PACKED = 'lib/aws/remove-packed.ts';

export const HARMLESS_MUTATIONS: readonly HarmlessMutation[] = [
  {
    name: 'fence-of-another-incarnation',
    what: 'cancels an id in whatever stream has the name now',
    since: 'ids are never used twice, and an answer of another incarnation is not taken for one',
    scenario: 'incarnations',
    patches: [
      {
        file: 'lib/aws/fence-ulid.ts',
        find: `'#i = :id AND #h < :ulid AND`,
        replace: `'(#i = :id OR attribute_exists(#k)) AND #h < :ulid AND`,
      },
    ],
  },
  {
    name: 'seal-before-chain-ends',
    what: 'seals although refs between the index and the tail are missing',
    since: 'index items above the end of what is sealed are never removed, so none is missing',
    scenario: 'recovery',
    patches: [
      {
        file: SEAL,
        find: 'return segment?.end === tail.base && tail.refs[0]?.opensSegment',
        replace: 'return tail.refs[0]?.opensSegment',
      },
    ],
  },
  {
    name: 'seal-over-segment',
    what: 'writes a sealed segment over one that is there',
    since: 'the end of what is sealed is held by the same transaction',
    scenario: 'recovery',
    patches: [{ file: SEAL, find: `condition: 'attribute_not_exists(#k)',`, replace: '' }],
  },
  {
    name: 'spill-more-than-known',
    what: 'removes refs that came after the tail was read',
    since: 'the item that was there holds just these, and the base is held',
    scenario: 'sealing',
    patches: [
      {
        file: 'lib/aws/spill-refs.ts',
        find: 'if (spilled.length > tail.refs.length) return await streams.load(name);',
        replace: '',
      },
    ],
  },
  {
    name: 'value-over-another',
    what: 'writes the item of a value whatever it is by then',
    since: 'every commit that writes one raises the count of the tail, which is held',
    scenario: 'deduplicating',
    patches: [
      {
        file: 'lib/aws/value-item.ts',
        find: "condition: 'attribute_not_exists(#k)' };",
        replace: '};',
      },
      always('lib/aws/value-item.ts', '#u = :read AND #n = :number', "'"),
    ],
  },
  {
    name: 'cancel-below-horizon',
    what: 'cancels an id that the horizon has passed',
    since: 'the horizon refuses it already, and the next one takes it out again',
    scenario: 'recovery',
    patches: [always('lib/aws/fence-ulid.ts', '#h < :ulid')],
  },
  {
    name: 'evict-version-goes-back',
    what: 'sets an older version of the side item',
    since:
      'all evictions take the oldest entries, so a later one has taken those of the earlier one too',
    scenario: 'evicting',
    patches: [always('lib/aws/publisher-side.ts', '#v < :version', "'")],
  },
  {
    name: 'evict-tail-before-side',
    what: 'reads the tail before the side item',
    since: 'an entry that another eviction has moved meanwhile is no longer as it was copied',
    scenario: 'evicting',
    patches: [
      {
        file: 'lib/aws/publisher-side.ts',
        find: '  const side = await loadSide(table, streamId);\n  const stream = await streams.load(name);',
        replace:
          '  const stream = await streams.load(name);\n  const side = await loadSide(table, streamId);',
      },
    ],
  },
  {
    name: 'evict-any-incarnation',
    what: 'removes entries from whatever stream has the name now',
    since: 'an entry holds an offset and an id, and is not the same in another incarnation',
    scenario: 'incarnations',
    patches: [always('lib/aws/publisher-side.ts', '#i = :id', "'")],
  },
  {
    name: 'created-without-grave',
    what: 'creates a stream whose grave was filled in',
    since: 'nothing is under way for as long as graves are kept',
    scenario: 'incarnations',
    patches: [
      {
        file: 'lib/aws/create-stream.ts',
        find: `'attribute_exists(#k) AND attribute_not_exists(#w)'`,
        replace: `'attribute_not_exists(#w)'`,
      },
    ],
  },
  {
    name: 'trim-any-first',
    what: 'sets the first retained offset whatever it was',
    since: 'whatever raised it meanwhile raised the version of the work, which is held too',
    scenario: 'retention',
    patches: [always('lib/aws/change-tail.ts', '#t = :first')],
  },
  {
    name: 'epoch-set-not-raised',
    what: 'sets an older epoch',
    since: 'whatever raised it meanwhile raised the version of the work, which is held too',
    scenario: 'patching',
    patches: [always('lib/aws/raise-epoch.ts', '#e < :revision')],
  },
  {
    name: 'pack-nothing',
    what: 'appends a piece to a segment that is gone',
    since: 'what is not there has no size, and the pieces that were read are held',
    scenario: 'packing',
    patches: [{ file: PACK, find: 'attribute_exists(#k) AND size(#o)', replace: 'size(#o)' }],
  },
  {
    name: 'pack-over-missing',
    what: 'packs what is there of a segment although a chunk is not',
    since:
      'it is gone only when others packed it, or when the segment was dropped and its item with it',
    scenario: 'packing',
    patches: [
      {
        file: PACK,
        find: "if (chunks === undefined) return { kind: 'incomplete', at: ref.base };",
        replace: 'if (chunks === undefined) break;',
      },
    ],
  },
  {
    name: 'pack-end-of-incomplete',
    what: 'does not look again at a segment that could not be packed wholly',
    since: 'it was dropped meanwhile',
    scenario: 'packing',
    patches: [
      {
        file: TURNS,
        find: 'if (isComplete) await raisePackedEnd',
        replace: 'await raisePackedEnd',
      },
    ],
  },
  {
    name: 'pack-end-goes-back',
    what: 'sets the end of what is packed also when it is higher already',
    since: 'it only saves a look at segments that are packed',
    scenario: 'maintaining',
    patches: [always(TURNS, '#pe < :end')],
  },
  {
    name: 'pack-without-lease',
    what: 'packs although another one does',
    since: 'the pieces that were read are held: a lease fences nothing',
    scenario: 'maintaining',
    patches: [always('lib/aws/stream-lease.ts', '#lu < :now')],
  },
  {
    name: 'remove-packed-at-once',
    what: 'removes the index of a segment as soon as it is packed',
    since: 'it only holds up readers outside, who were given URLs of the chunks',
    scenario: 'history',
    patches: [{ file: REMOVE_PACKED, find: ' && packedMs <= agedMs', replace: '' }],
  },
  {
    name: 'remove-packed-above-base',
    what: 'removes the index of a packed segment whose refs are in the tail still',
    since: 'nothing is sealed that is not below the base',
    scenario: 'packing',
    patches: [{ file: REMOVE_PACKED, find: ' && end <= tail.base', replace: '' }],
  },
  {
    name: 'read-gone-again',
    what: 'goes on to read a piece that is not there by what it knows of it',
    since: 'only those of dropped segments are gone, and the next look shows that',
    scenario: 'history',
    patches: [
      { file: 'lib/aws/read-chunks.ts', find: '    packed.forget(streamId);\n', replace: '' },
    ],
  },
  {
    name: 'upkeep-failure-not-left',
    what: 'leaves nothing to a maintainer when a commit could not seal',
    since: 'whoever opens a segment has left that before',
    scenario: 'opening',
    patches: [
      {
        file: 'lib/aws/tail-upkeep.ts',
        find: '    await leaveForLater(context, stream);\n',
        replace: '',
      },
    ],
  },
];
