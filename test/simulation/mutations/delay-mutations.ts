/** How messages are held and released (PROTOCOL R12, R12a). */
import { always, type Mutation } from './mutation.ts';

const HELD = 'lib/aws/hold-messages.ts';
const RELEASE = 'lib/aws/release-held.ts';
const EXECUTE = 'lib/aws/execute-plan.ts';
const CANCEL = 'lib/aws/cancel-held.ts';
const SEND = 'lib/aws/send-commit.ts';
const BODIES = 'lib/aws/held-bodies.ts';

const DELETE = '  await removeMessages(context, execution);\n';
const LATE_READ = 'decodeShard(await table.get(shardKey(this.#shard)))';
const ONE = "':one': numberValue(1), ':id'";
const PUT_ONCE = "await context.table.put({ item: encodeTimer(timer) }, 'once');";

export const DELAY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'due-listed-first',
    what: 'lists what is due before it reads what the shard is doing (8m1)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      {
        file: RELEASE,
        find: 'const plan = { seq: state.seq + 1,',
        replace: `const late = ${LATE_READ}; if (late.plan) return; const plan = { seq: late.seq + 1,`,
      },
      {
        file: RELEASE,
        find: 'planUpdate(this.#shard, state, plan)',
        replace: 'planUpdate(this.#shard, late, plan)',
      },
    ],
  },
  {
    name: 'plan-any-version',
    what: 'writes a plan although the shard has changed (8m2)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [always('lib/aws/shard-item.ts', '#v = :read')],
  },
  {
    name: 'plan-ended-first',
    what: 'ends a plan before its messages are gone (8m3)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      { file: EXECUTE, find: DELETE, replace: '' },
      {
        file: EXECUTE,
        find: "  return done.kind === 'done'",
        replace: `${DELETE}  return done.kind === 'done'`,
      },
    ],
  },
  {
    name: 'held-deleted-first',
    what: 'deletes held messages before they are stored (8m4)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      {
        file: EXECUTE,
        find: '  const sent = messages ===',
        replace: `${DELETE}  const sent = messages ===`,
      },
    ],
  },
  {
    name: 'cancel-in-plan',
    what: 'cancels what an open plan names (8m5)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [always(CANCEL, 'NOT contains(#d, :id)')],
  },
  {
    name: 'cancel-unseen',
    what: 'cancels without raising the version of the shard (8m6)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [{ file: CANCEL, find: ONE, replace: "':one': numberValue(0), ':id'" }],
  },
  {
    name: 'releaser-forgotten',
    what: 'forgets who releases, when many publishers come (8m8)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/remembered-publishers.ts',
        find: '.filter(([key]) => !isReleasePublisher(key))',
        replace: '',
      },
      {
        file: 'lib/aws/publisher-side.ts',
        find: 'const kept = rememberedPublishers(leaving, side.entries);',
        replace:
          'const kept = new Map([...rememberedPublishers(leaving, side.entries)].filter(([key]) => !isReleasePublisher(key)));',
      },
      {
        file: 'lib/aws/publisher-side.ts',
        find: "import type { Item, Table, UpdateRequest } from './table.ts';",
        replace:
          "import type { Item, Table, UpdateRequest } from './table.ts';\nimport { isReleasePublisher } from './release-publisher.ts';",
      },
    ],
  },
  {
    name: 'released-to-first',
    what: 'stores what is due in the first of its streams only (8m12)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      {
        file: EXECUTE,
        find: 'sendings.slice(at, at + COMMITS_MAX)',
        replace: 'sendings.slice(0, 1)',
      },
    ],
  },
  {
    name: 'plan-without-number',
    what: 'stores what is due under one id for all plans',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [{ file: EXECUTE, find: 'left.map(() => plan.seq)', replace: 'left.map(() => 1)' }],
  },
  {
    name: 'released-early',
    what: 'releases messages a second before they are due',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      {
        file: RELEASE,
        find: 'heldIdAfter(this.#options.nowMs())',
        replace: 'heldIdAfter(this.#options.nowMs() + 1_000)',
      },
    ],
  },
  {
    name: 'held-after-append',
    what: 'holds messages after the others of their request are stored (10m1)',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      { file: SEND, find: '      ...timerPuts(plan.timers, ulid),\n', replace: '' },
      {
        file: SEND,
        find: "  if (result.kind === 'done') {\n    const found",
        replace:
          "  if (result.kind === 'done') {\n    for (const step of timerPuts(plan.timers, ulid)) await context.table.put(step, 'harmless');\n    const found",
      },
    ],
  },
  {
    name: 'held-again-unlooked',
    what: 'holds messages again when the answer was lost, without looking for them (10p1)',
    scenario: 'holding',
    seedsMax: 1_000,
    patches: [
      {
        file: HELD,
        find: "    if (await isAnyHeld(context, plan)) return { kind: 'done' };\n",
        replace: '',
      },
      {
        file: HELD,
        find: 'plan.isNamed ? await context.streams.load(name) : undefined',
        replace: 'await context.streams.load(name)',
      },
    ],
  },
  {
    name: 'held-put-twice',
    what: 'puts a message again that may have been released since (10p2)',
    scenario: 'holding',
    seedsMax: 1_000,
    patches: [{ file: HELD, find: PUT_ONCE, replace: PUT_ONCE.replace('once', 'harmless') }],
  },
  {
    name: 'held-put-twice-if-absent',
    what: 'puts a message again that may have been released since, if it is absent (10p3)',
    scenario: 'holding',
    seedsMax: 1_000,
    patches: [
      {
        file: HELD,
        find: PUT_ONCE,
        replace: PUT_ONCE.replace(
          "}, 'once'",
          ", condition: 'attribute_not_exists(#k)' }, 'harmless'",
        ),
      },
    ],
  },
  {
    name: 'held-not-fenced',
    what: 'holds messages under an id that was cancelled',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/fence-ulid.ts',
        find: "update: 'ADD #c :only'",
        replace: "update: 'SET #w = #w'",
      },
    ],
  },
  {
    name: 'object-of-others',
    what: 'removes an object that other held messages lie in',
    scenario: 'delaying',
    seedsMax: 1_000,
    patches: [{ file: BODIES, find: 'if (left.length === 0) await', replace: 'await' }],
  },
];
