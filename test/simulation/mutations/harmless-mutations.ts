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
];
