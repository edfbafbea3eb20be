/** What an audit of a bucket and a table tells of each kind of damage, and that it changes nothing. */
import { describe, expect, test } from 'vitest';
import { createAwsAudit } from '../../lib/aws/audit-store.ts';
import { createAwsContext } from '../../lib/aws/create-context.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import type { AuditFinding } from '../../lib/ports/audit.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize, idOf, streamName } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;

/** Segments [0, 20) and [20, 40), packed if wanted, and [40, 50), of 10 messages an object. */
async function openStream(hours: number): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store, { segment_max_bytes: 2_000 });
  for (let n = 0; n < 5; n++) {
    await publish(store, append(batchOfSize(10, 100), { timeMs: store.clock.nowMs() }));
  }
  for (let hour = 0; hour < hours; hour++) {
    await store.clock.advance(HOUR_MS);
    await store.maintenance.run(NEVER);
  }
  return store;
}

async function audit({ table, objects, clock }: MemoryAws) {
  const context = createAwsContext({
    table,
    objects,
    clock,
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: { error: () => {} },
  });
  const findings: AuditFinding[] = [];
  let messages = 0;
  await createAwsAudit(context).run(
    {
      found: (finding) => findings.push(finding),
      looked: (counts) => {
        messages += counts.messages ?? 0;
      },
    },
    NEVER,
  );
  return { findings, messages };
}

const named = ({ objects }: MemoryAws, part: string) =>
  objects.names().filter((name) => name.includes(part));

async function damage(store: MemoryAws, name: string): Promise<void> {
  const bytes = await store.objects.get(name);
  await store.objects.deleteMany([name]);
  await store.objects.put(
    name,
    (bytes ?? new Uint8Array()).map((byte, index) => (index === 50 ? byte ^ 0xff : byte)),
  );
}

test.each([
  ['as they were published', 0],
  ['packed, with their chunks', 1],
  ['packed alone', 4],
])(
  'T14: of a sound store with segments %s tells nothing, and changes nothing',
  async (_how, hours) => {
    const store = await openStream(hours);
    const [items, names] = [store.table.items(), store.objects.names()];

    expect(await audit(store)).toEqual({ findings: [], messages: 50 });
    expect(store.table.items()).toEqual(items);
    expect(store.objects.names()).toEqual(names);
  },
);

test('T14: looks at what is retained, and leaves alone what is to be removed', async () => {
  const store = await openStream(4);
  await store.log.trim(STREAM_ID, at(25));
  await store.catalog.create({
    name: streamName('t'),
    streamId: idOf(7),
    settings: {},
    createdMs: 1,
  });
  await store.catalog.remove(streamName('t'), idOf(7));

  expect(await audit(store)).toEqual({ findings: [], messages: 25 });
});

describe('finds', () => {
  test('objects that are gone, each with its messages', async () => {
    const store = await openStream(4);
    const [piece = ''] = named(store, '/s/');
    const [chunk = ''] = named(store, '/c/');
    await store.objects.deleteMany([piece, chunk]);

    expect(await audit(store)).toEqual({
      findings: [
        { kind: 'dangling', what: `object ${piece} of messages [0, 20) is not there` },
        { kind: 'dangling', what: `object ${chunk} of messages [40, 50) is not there` },
      ],
      messages: 50,
    });
  });

  test.each([['/s/'], ['/c/']])('damaged bytes of an object below %s', async (part) => {
    const store = await openStream(4);
    const [name = ''] = named(store, part);
    await damage(store, name);

    expect(await audit(store)).toEqual({
      findings: [{ kind: 'corrupt', what: expect.stringContaining(name) }],
      messages: 50,
    });
  });

  test('messages that nothing refers to', async () => {
    const store = await openStream(4);
    await store.table.delete({ key: { k: `G${STREAM_ID}`, s: '0000000000000020' } }, 'once');

    const { findings } = await audit(store);
    expect(findings).toEqual([{ kind: 'hole', what: expect.stringContaining('[20, 40)') }]);
  });

  test('an item that is damaged, and goes on with other streams', async () => {
    const store = await openStream(4);
    const other = { name: streamName('t'), streamId: idOf(7), settings: {}, createdMs: 1 };
    await store.catalog.create(other);
    await store.log.commit([append(batchOfSize(3, 10), { stream: streamName('t') })]);
    await store.table.update(
      {
        key: { k: `G${STREAM_ID}`, s: '0000000000000000' },
        update: 'REMOVE #e',
        condition: 'attribute_exists(#k)',
      },
      'once',
    );

    const { findings, messages } = await audit(store);
    expect(findings[0]).toMatchObject({ kind: 'corrupt', what: expect.stringContaining('G') });
    expect(messages).toBe(3);
  });

  test('objects that nothing refers to, once they are old enough', async () => {
    const store = await openStream(4);
    const [name = ''] = named(store, '/c/');
    const ofThis = name.replace(/.{4}$/, 'ZZZZ');
    const ofNone = name.replace(STREAM_ID, idOf(99));
    await store.objects.put(ofThis, Uint8Array.of(1));
    await store.objects.put(ofNone, Uint8Array.of(1));
    await store.clock.advance(8 * HOUR_MS);
    await store.objects.put('zz/else', Uint8Array.of(1));

    const { findings } = await audit(store);
    expect(findings.map(({ kind, what }) => [kind, what.split(' ')[1]])).toEqual([
      ['orphan', `${ofThis}:`],
      ['orphan', `${ofNone}:`],
      ['orphan', 'zz/else:'],
    ]);
    expect(await store.log.tail(STREAM)).toMatchObject({ next: 50 });
  });
});
