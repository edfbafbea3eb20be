/** What messages are routed by, and what exchanges remember of them (PROTOCOL R13, R18). */
import { always, type Mutation } from './mutation.ts';

const KNOWN = 'lib/aws/known-exchanges.ts';
const BIND = 'lib/aws/bind-exchange.ts';
const RECORD = 'lib/aws/record-item.ts';
const SEND = 'lib/aws/send-commit.ts';
const EXCHANGES = 'lib/aws/aws-exchanges.ts';

export const ROUTING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'revision-of-any-incarnation',
    what: 'takes a revision for that of what it knows, whoever has the name now (11m1)',
    scenario: 'routing',
    seedsMax: 300,
    patches: [
      {
        file: KNOWN,
        find: 'known?.compiled.id === stored.entry.exchangeId && known.revision === stored.revision',
        replace: 'known?.revision === stored.revision',
      },
    ],
  },
  {
    name: 'bindings-before-revision',
    what: 'keeps bindings under a revision that was read after them (11m2)',
    scenario: 'routing',
    seedsMax: 300,
    patches: [
      {
        file: KNOWN,
        find: 'const loaded = await this.#load(stored);',
        replace: `const early = await this.#load(stored);
    const again = await this.#table.get(exchangeKey(name));
    const loaded = again ? { ...early, revision: decodeExchange(again).revision } : early;`,
      },
    ],
  },
  {
    name: 'revision-not-read',
    what: 'routes by what it knows without a look at revisions (11m3)',
    scenario: 'routing',
    seedsMax: 300,
    patches: [
      { file: KNOWN, find: 'if (isSame) return known;', replace: 'if (known) return known;' },
    ],
  },
  {
    name: 'known-beyond-graph',
    what: 'reads revisions of the graph that it knew only, not of what that turns out to lead to (11p1)',
    scenario: 'routing',
    seedsMax: 300,
    patches: [
      {
        file: KNOWN,
        find: 'unread = reachable(name, (one) => seen.get(one)).filter((one) => !seen.has(one));',
        replace: `for (const one of reachable(name, (each) => seen.get(each) ?? this.#known.get(each))) {
        if (!seen.has(one) && this.#known.has(one)) seen.set(one, this.#known.get(one));
      }
      unread = reachable(name, (one) => seen.get(one)).filter((one) => !seen.has(one));`,
      },
    ],
  },
  {
    name: 'bound-without-revision',
    what: 'binds without raising the revision of the exchange',
    scenario: 'routing',
    seedsMax: 100,
    patches: [{ file: BIND, find: "'SET #r = #r + :one'", replace: "'SET #o = :one'" }],
  },
  {
    name: 'unbound-without-revision',
    what: 'unbinds without raising the revision of the exchange',
    scenario: 'routing',
    seedsMax: 100,
    patches: [{ file: EXCHANGES, find: "'SET #r = #r + :one'", replace: "'SET #o = :one'" }],
  },
  {
    name: 'bound-to-what-is-gone',
    what: 'binds to a destination that is no more, or that is another one of its name',
    scenario: 'routing',
    seedsMax: 300,
    patches: [{ file: BIND, find: 'if (!isItself) steps.push(holdTo(destination));', replace: '' }],
  },
  {
    name: 'bound-to-another-source',
    what: 'binds whatever has the name of the source now',
    scenario: 'routing',
    seedsMax: 1_000,
    patches: [
      {
        file: BIND,
        find: "condition: '#i = :id',\n      values: { ':one'",
        replace: "condition: '(#i = :id OR attribute_exists(#k))',\n      values: { ':one'",
      },
    ],
  },
  {
    name: 'last-binding-of-before',
    what: 'removes an exchange whose last binding was gone, although it has another one since',
    scenario: 'routing',
    seedsMax: 1_000,
    patches: [always(EXCHANGES, '#i = :id AND #r = :revision', "'")],
  },
  {
    name: 'alternate-not-read',
    what: 'does not look at the alternate exchange of an exchange',
    scenario: 'routing',
    seedsMax: 100,
    patches: [
      {
        file: KNOWN,
        find: 'if (settings.alternateExchange !== undefined) next.push(settings.alternateExchange);',
        replace: '',
      },
    ],
  },
  {
    name: 'bindings-of-deleted-exchange',
    what: 'leaves the bindings of deleted exchanges',
    scenario: 'routing',
    seedsMax: 100,
    patches: [
      {
        file: 'lib/aws/sweep-streams.ts',
        find: '    bindingPartition(id),\n    recordPartition(id),',
        replace: '    recordPartition(id),',
      },
    ],
  },
  {
    name: 'forgets-bound-anew',
    what: 'removes a binding to a deleted stream that leads to the next of its name by then',
    scenario: 'routing',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/forget-bindings.ts',
        find: "condition: '#i = :gone'",
        replace: "condition: '(#i = :gone OR attribute_exists(#k))'",
      },
    ],
  },
  {
    name: 'noted-behind-commit',
    what: 'notes who has a message after it is stored there (12m9)',
    scenario: 'remembering',
    seedsMax: 300,
    patches: [
      {
        file: SEND,
        find: '      ...takeSteps(stream.name, taken),\n',
        replace: '',
      },
      {
        file: SEND,
        find: "if (result.kind === 'done') {",
        replace: `if (result.kind === 'done') {
    for (const step of takeSteps(stream.name, taken)) {
      if (step.kind === 'update') await context.table.update(step, 'harmless');
    }`,
      },
    ],
  },
  {
    name: 'noted-twice',
    what: 'stores a message where it is noted already (12m10)',
    scenario: 'remembering',
    seedsMax: 300,
    patches: [always(RECORD, 'attribute_not_exists(#o.#to)')],
  },
  {
    name: 'noted-in-another-record',
    what: 'notes who has a message in whatever record is there by then (12m11)',
    scenario: 'remembering',
    seedsMax: 1_000,
    patches: [
      {
        file: RECORD,
        find: "'#r = :rid AND attribute_not_exists",
        replace: "'(#r = :rid OR attribute_exists(#k)) AND attribute_not_exists",
      },
    ],
  },
  {
    name: 'record-over-taken',
    what: 'makes a record anew although somebody has the message by now',
    scenario: 'remembering',
    seedsMax: 1_000,
    patches: [always(RECORD, 'size(#o) = :taken')],
  },
  {
    name: 'record-over-another',
    what: 'makes a record over one that it has not read',
    scenario: 'remembering',
    seedsMax: 1_000,
    patches: [
      {
        file: RECORD,
        find: "return { item, condition: 'attribute_not_exists(#k)' };",
        replace: 'return { item };',
      },
    ],
  },
];
