/** Work that is left for later, and retention by settings (PROTOCOL R6, R11, R14). */
import type { Patch } from '../patches.ts';
import { always, type Mutation } from './mutation.ts';

const UPDATE = 'lib/aws/commit-update.ts';
const COMMIT = 'lib/aws/commit-stream.ts';
const CHANGE = 'lib/aws/change-tail.ts';
const EPOCH = 'lib/aws/raise-epoch.ts';
const END = 'lib/aws/end-work.ts';
const DUE = 'lib/aws/due-work.ts';
const RUN = 'lib/aws/aws-maintenance.ts';

const LEAVE_ENDED =
  'await Promise.all([storeNewNames(context, attempt), leaveEndedSegment(context, stream, plan)]);';
const AGAIN =
  '      if (againMs !== undefined) await putDue(context, { kind, streamId, dueMs: againMs });\n';
const ENDED =
  'if (!(await endWork(context, stream, workVersion ?? stream.tail.workVersion))) return;';

/** So that it is due while whoever left it still stands still. */
const DUE_SOON: Patch = {
  file: DUE,
  find: 'const SOON_MS = 5_000;',
  replace: 'const SOON_MS = 300;',
};

export const WORK_MUTATIONS: readonly Mutation[] = [
  {
    name: 'open-any-version',
    what: 'opens a segment although the work left for it was ended',
    scenario: 'opening',
    limits: 'real',
    seedsMax: 1_000,
    patches: [always(UPDATE, '#w = :work', "'"), DUE_SOON],
  },
  {
    name: 'open-same-version',
    what: 'opens a segment without telling maintainers of more work',
    scenario: 'opening',
    limits: 'real',
    seedsMax: 1_000,
    patches: [{ file: UPDATE, find: "draft.set.push('#w = #w + :one');", replace: '' }, DUE_SOON],
  },
  {
    name: 'open-without-work',
    what: 'opens a segment without leaving work for the one that ends',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [
      { file: COMMIT, find: LEAVE_ENDED, replace: 'await storeNewNames(context, attempt);' },
    ],
  },
  {
    name: 'open-before-work',
    what: 'leaves work for the segment that ends behind the commit',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [
      { file: COMMIT, find: LEAVE_ENDED, replace: 'await storeNewNames(context, attempt);' },
      {
        file: COMMIT,
        find: '  await tidyTail(context, stream, openedSegment(stream, plan, ref));',
        replace:
          '  await leaveEndedSegment(context, stream, plan);\n  await tidyTail(context, stream, openedSegment(stream, plan, ref));',
      },
    ],
  },
  {
    name: 'trim-set-not-raised',
    what: 'sets the first retained offset also when it is higher already (4m2)',
    scenario: 'retention',
    seedsMax: 1_000,
    patches: [always(CHANGE, '#t = :first'), always(CHANGE, '#w = :work')],
  },
  {
    name: 'epoch-without-work',
    what: 'puts settings in force without leaving work for them',
    scenario: 'patching',
    limits: 'real',
    seedsMax: 1_000,
    patches: [{ file: EPOCH, find: '  await leaveWork(tail);\n', replace: '' }],
  },
  {
    name: 'end-any-version',
    what: 'ends work although more came to be necessary',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [always(END, '#w = :work')],
  },
  {
    name: 'end-same-version',
    what: 'ends work without telling those who are about to make more',
    scenario: 'opening',
    seedsMax: 1_000,
    patches: [
      { file: END, find: 'numberValue(workVersion + 1)', replace: 'numberValue(workVersion)' },
    ],
  },
  {
    name: 'end-unheard',
    what: 'removes an item although its work could not be ended',
    scenario: 'opening',
    seedsMax: 1_000,
    patches: [
      {
        file: RUN,
        find: ENDED,
        replace: 'await endWork(context, stream, workVersion ?? stream.tail.workVersion);',
      },
    ],
  },
  {
    name: 'due-removed-first',
    what: 'removes an item before its work is done',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [
      {
        file: RUN,
        find: '    const stream = await context.streams.loadById(streamId);\n    if (stream !== undefined) {',
        replace:
          '    const stream = await context.streams.loadById(streamId);\n    await deleteDue(context.table, item);\n    if (stream !== undefined) {',
      },
    ],
  },
  {
    name: 'due-again-behind',
    what: 'leaves further work when the item for the first is gone',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [
      { file: RUN, find: AGAIN, replace: '' },
      {
        file: RUN,
        find: ENDED,
        replace: `${ENDED}\n      await deleteDue(context.table, item);\n${AGAIN}`,
      },
    ],
  },
  {
    name: 'due-never-again',
    what: 'leaves no further work',
    scenario: 'maintaining',
    seedsMax: 1_000,
    patches: [{ file: RUN, find: AGAIN, replace: '' }],
  },
  {
    name: 'cancel-without-work',
    what: 'cancels ids that nobody takes out again',
    scenario: 'recovery',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/fence-ulid.ts',
        find: "  await putDue(context, { kind: 'cancelled', streamId, dueMs: laterMs(clock.nowMs() + GRACE_MS) });\n",
        replace: '',
      },
    ],
  },
];
