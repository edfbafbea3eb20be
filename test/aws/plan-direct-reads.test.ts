/** How much one plan for reading past the service may be (SPEC LR7). */
import { expect, test } from 'vitest';
import { decodeSegmentBlock } from '../../lib/format/segment-block.ts';
import { decodeSegmentFooter, decodeSegmentIndex } from '../../lib/format/segment-index.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at } from '../support/batches.ts';
import { openMemoryAws } from '../support/memory-aws.ts';
import { collectAll, packAll, publishSegments } from './segment-steps.ts';

const OBJECTS = 1_040;
const EVERYTHING = { streamId: STREAM_ID, end: at(OBJECTS), bytesMax: Number.MAX_SAFE_INTEGER };

test('LR7: a plan over any number of small objects names a thousand and reads no further', async () => {
  const store = openMemoryAws();
  await createStream(store);
  for (let n = 0; n < OBJECTS; n++) await publish(store, append(['']));
  await store.log.tail(STREAM);
  const before = store.table.costs.length;
  const plan = await store.directReads.plan({ ...EVERYTHING, from: at(0) }, 1);

  expect(plan).toHaveLength(1_000);
  expect(plan.at(-1)).toMatchObject({ start: 999, end: 1_000 });
  expect(store.table.costs.slice(before)).toHaveLength(1 + Math.ceil((1_000 / 16 - 1) / 9));
  expect(await store.directReads.plan({ ...EVERYTHING, from: at(1_000) }, 1)).toHaveLength(40);
});

test('LR7: what is packed is named as pieces, of which every block can be read', async () => {
  const store = openMemoryAws({ packing: { pieceBytes: 1e9, pieceObjectsMax: 10 } });
  await publishSegments(store, 50, { inSegment: 20 });
  await packAll(store);
  await collectAll(store);
  await store.log.tail(STREAM);
  const plan = await store.directReads.plan(
    { streamId: STREAM_ID, from: at(5), end: at(50), bytesMax: Number.MAX_SAFE_INTEGER },
    1,
  );

  const pieces = plan.filter(({ kind }) => kind === 'segment');
  expect(pieces.map(({ start, end }) => [start, end])).toEqual(
    [0, 10, 20, 30].map((n) => [n, n + 10]),
  );
  expect(plan.slice(4).map(({ kind, start }) => [kind, start])).toEqual(
    Array.from({ length: 10 }, (_, index) => ['chunks', 40 + index]),
  );
  for (const { url, start, end } of pieces) {
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    const bytes = (await store.objects.get(name)) ?? new Uint8Array();
    const { indexStart } = decodeSegmentFooter(bytes, name);
    const index = decodeSegmentIndex(bytes.subarray(indexStart), name);
    const chunks = index.blocks.flatMap((block) =>
      decodeSegmentBlock(bytes.subarray(block.start, block.start + block.size), block, name),
    );
    expect(chunks.map(({ base }) => base)).toEqual(
      Array.from({ length: end - start }, (_, number) => start + number),
    );
  }
});
