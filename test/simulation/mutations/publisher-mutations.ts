/** Publishers that leave the tail (PROTOCOL R9). */
import { always, type Mutation } from './mutation.ts';

const SIDE = 'lib/aws/publisher-side.ts';

export const PUBLISHER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'evict-changed-entry',
    what: 'removes entries that changed since they were copied (6m2)',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [
      {
        file: SIDE,
        find: `\`\${path} = :entry\${index}\``,
        replace: `\`(\${path} = :entry\${index} OR attribute_exists(#k))\``,
      },
    ],
  },
  {
    name: 'evict-tail-first',
    what: 'removes entries from the tail before they are copied (6m3)',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [
      {
        file: SIDE,
        find: '  const isWritten = await table.put(',
        replace: `  await table.update(leave(stream, version, leaving), 'harmless');
  const isWritten = await table.put(`,
      },
    ],
  },
  {
    name: 'evict-over-other',
    what: 'writes the side item over one that came meanwhile (6m4)',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [always(SIDE, '#v = :read', "'")],
  },
  {
    name: 'evict-first-over-other',
    what: 'writes the first side item over one that came meanwhile',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [
      {
        file: SIDE,
        find: `? { condition: 'attribute_not_exists(#k)' }`,
        replace: '? {}',
      },
    ],
  },
  {
    name: 'evict-after-refusal',
    what: 'removes entries although they could not be copied',
    scenario: 'publishers',
    seedsMax: 1_000,
    patches: [{ file: SIDE, find: `if (isWritten.kind === 'refused') return;`, replace: '' }],
  },
];
