/** The condition of a commit, clause by clause (PROTOCOL R0, R1, R9, R11). */
import { always, type Mutation } from './mutation.ts';

const UPDATE = 'lib/aws/commit-update.ts';

export const COMMIT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'commit-any-incarnation',
    what: 'commits to whatever stream has the name now',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#i = :id', "'")],
  },
  {
    name: 'commit-any-epoch',
    what: 'commits under settings that were replaced',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#e = :epoch', "'")],
  },
  {
    name: 'commit-below-horizon',
    what: 'commits an object that may have been collected',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#h < :ulid', "'")],
  },
  {
    name: 'commit-cancelled',
    what: 'commits under an id that was cancelled',
    scenario: 'publishing',
    seedsMax: 1_000,
    patches: [always(UPDATE, 'NOT contains(#c, :ulid)', "'")],
  },
  {
    name: 'commit-without-room',
    what: 'lets a tail grow that nobody spills',
    scenario: 'publishing',
    seedsMax: 1_000,
    patches: [always(UPDATE, 'size(#r) < :refsMax', "'")],
  },
  {
    name: 'commit-opens-twice',
    what: 'opens a segment that another commit has opened',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#g[0] = :segment', "'")],
  },
  {
    name: 'commit-into-full-segment',
    what: 'commits to a segment that others have filled',
    scenario: 'sealing',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#y < :fullAt', "'")],
  },
  {
    name: 'commit-any-offset',
    what: 'does not hold the expected offset',
    scenario: 'publishing',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#n[0] = :next', "'")],
  },
  {
    name: 'commit-any-token',
    what: 'does not hold the fencing token',
    scenario: 'fencing',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#f = :token', "'")],
  },
  {
    name: 'commit-new-publisher-twice',
    what: 'takes a publisher for new that is in the tail by now',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [
      {
        file: UPDATE,
        find: `require(draft, \`attribute_not_exists(\${entry})\`, {});`,
        replace: '',
      },
    ],
  },
  {
    name: 'commit-without-side-version',
    what: 'takes a publisher for new that has left the tail since (6m1)',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [
      {
        file: UPDATE,
        find: `if (needsSide) require(draft, '#v <= :side', { ':side': numberValue(sideVersion) });`,
        replace: '',
      },
    ],
  },
  {
    name: 'commit-same-side-version-only',
    what: 'blocks new publishers when an eviction ended half way',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [{ file: UPDATE, find: `'#v <= :side'`, replace: `'#v = :side'` }],
  },
  {
    name: 'commit-known-ids',
    what: 'stores ids that the publisher has stored since',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [
      {
        file: UPDATE,
        find: `\`#p.#q\${index}[1] < :first\${index} AND`,
        replace: `\`(#p.#q\${index}[1] < :first\${index} OR attribute_exists(#k)) AND`,
      },
    ],
  },
  {
    name: 'commit-older-epoch',
    what: 'stores messages of a publisher whose epoch was replaced',
    scenario: 'fencing',
    seedsMax: 1_000,
    patches: [
      {
        file: UPDATE,
        find: `AND #p.#q\${index}[2] <= :epoch\${index}\``,
        replace: `AND (#p.#q\${index}[2] <= :epoch\${index} OR attribute_exists(#k))\``,
      },
    ],
  },
  {
    name: 'commit-before-object',
    what: 'commits before the object is there',
    scenario: 'publishing',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/commit-object.ts',
        find: '  await Promise.all(puts);',
        replace: '  void Promise.all(puts);',
      },
    ],
  },
  {
    name: 'object-used-again',
    what: 'uses an object again whose commit may still land',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/commit-object.ts',
        find: 'if (earlier && isUsable(earlier.ulid, tail) && isSameContent(earlier.plan, plan)) return earlier;',
        replace: 'if (earlier && isUsable(earlier.ulid, tail)) return earlier;',
      },
    ],
  },
];
