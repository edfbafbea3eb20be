/** How the outcome of a commit is found out whose answer was lost (PROTOCOL R1). */
import type { Mutation } from './mutation.ts';

const COMMIT = 'lib/aws/commit-stream.ts';
const RECOVER = 'lib/aws/recover-commit.ts';
const FENCE = 'lib/aws/fence-ulid.ts';

const FENCING = `  const item = await fenceUlid(context, now, lost.ulid);
  const fenced = await streams.adopt(lost.stream.name, item);
  const stored = found(fenced, lost) ?? (await findSpilled(context.table, fenced, lost));
`;

export const RECOVERY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'look-before-fence',
    what: 'looks in tail and index, then fences, and does not look again',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: RECOVER,
        find: FENCING,
        replace: `  const stored = await findSpilled(context.table, now, lost);
  await fenceUlid(context, now, lost.ulid);
`,
      },
    ],
  },
  {
    name: 'no-fence',
    what: 'reads the tail instead of fencing the id',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: FENCE,
        find: `  let result = await table.update(cancel(stream, ulid), 'harmless');`,
        replace: `  if (table !== undefined) return await table.get(tailKey(stream.name));
  let result;`,
      },
    ],
  },
  {
    name: 'fence-takes-everyone-as-named',
    what: 'repeats an unnamed publish without a fence',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [{ file: RECOVER, find: 'if (lost.isNamed) return', replace: 'if (now) return' }],
  },
  {
    name: 'fence-takes-tokens-as-named',
    what: 'repeats a named publish with a token without a fence',
    scenario: 'fencing',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/commit-plan.ts',
        find: 'append?.publisher !== undefined && append.fencingToken === undefined',
        replace: 'append?.publisher !== undefined',
      },
    ],
  },
  {
    name: 'unfenced-said-none',
    what: 'says none of a named publish that may still land',
    scenario: 'fencing',
    seedsMax: 1_000,
    patches: [{ file: COMMIT, find: 'mayLand: isNamed }', replace: 'mayLand: false }' }],
  },
  {
    name: 'earlier-run-said-none',
    what: 'says none of appends of which an earlier run is stored',
    scenario: 'publishing',
    seedsMax: 1_000,
    patches: [
      {
        file: COMMIT,
        find: `outcomes.some(({ kind }) => kind === 'stored') ? perhapsStored(error) : error`,
        replace: 'error',
      },
    ],
  },
  {
    name: 'index-before-fence',
    what: 'reads the index before the fence',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: RECOVER,
        find: FENCING,
        replace: `  const spilled = await findSpilled(context.table, now, lost);
  const item = await fenceUlid(context, now, lost.ulid);
  const fenced = await streams.adopt(lost.stream.name, item);
  const stored = found(fenced, lost) ?? spilled;
`,
      },
    ],
  },
  {
    name: 'refs-of-fence-not-looked-at',
    what: 'does not look in the refs of the answer to the fence',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: RECOVER,
        find: 'const stored = found(fenced, lost) ?? (await',
        replace: 'const stored = (await',
      },
    ],
  },
  {
    name: 'no-coverage-check',
    what: 'takes a commit for absent although the index has a break',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: RECOVER,
        find: `refs.at(-1)?.end === base ? { kind: 'absent', stream: fenced } : undefined`,
        replace: `{ kind: 'absent', stream: fenced }`,
      },
    ],
  },
  {
    name: 'index-from-next-only',
    what: 'does not look at the index item that began before the commit',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: RECOVER,
        find: 'return [...first, ...(await Array.fromAsync(unbrokenRefs(table, streamId, { from, end: base })))];',
        replace:
          'return await Array.fromAsync(indexRefs(table, streamId, { from: next, end: base }));',
      },
      {
        file: RECOVER,
        find: 'import { refsBefore, unbrokenRefs }',
        replace: 'import { indexRefs, refsBefore }',
      },
    ],
  },
  {
    name: 'recovery-in-another-incarnation',
    what: 'takes a commit for absent because the stream was created again',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: RECOVER,
        find: 'if (now?.tail.streamId !== lost.stream.tail.streamId) throw outcomeUnknown();',
        replace:
          "if (now && now.tail.streamId !== lost.stream.tail.streamId) return { kind: 'absent', stream: now };\n  if (!now) throw outcomeUnknown();",
      },
    ],
  },
  {
    name: 'horizon-set-not-raised',
    what: 'sets the horizon also when it is higher already',
    scenario: 'publishing',
    seedsMax: 1_000,
    patches: [
      {
        file: FENCE,
        find: `condition: '#i = :id AND #h < :horizon'`,
        replace: `condition: '#i = :id'`,
      },
    ],
  },
  {
    name: 'commit-sent-again',
    what: 'sends the update of a commit again when its answer was lost',
    scenario: 'publishing',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/send-commit.ts',
        find: `table.update(update, 'once')`,
        replace: `table.update(update, 'harmless')`,
      },
    ],
  },
  {
    name: 'cancelled-ids-leave-early',
    what: 'lets cancelled ids leave that the horizon has not passed',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: FENCE,
        find: 'tail.cancelled.filter((ulid) => compareBytes(ulid, horizon) <= 0)',
        replace: 'tail.cancelled',
      },
    ],
  },
];
