import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeChunkObject, encodeChunkObject } from '../../lib/format/chunk-object.ts';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { batchOf } from '../support/batches.ts';

const PARTS = [
  { ...batchOf('a', 'b'), timeMs: 1_795_946_400_000 },
  { ...batchOf('x'.repeat(5_000)), timeMs: 1_795_946_400_000 },
  { ...batchOf(''), jsonChecked: true, timeMs: 1_795_946_400_007 },
];

test('the requests of an object are what they were, in their order', () => {
  expect(decodeChunkObject(encodeChunkObject(PARTS), 'it')).toEqual(PARTS);
});

test('P10: so they are whatever they hold', () => {
  const part = fc.record({
    bodies: fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
    jsonChecked: fc.boolean(),
    wait: fc.nat(100_000),
  });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (requests) => {
      let timeMs = 0;
      const parts = requests.map(({ bodies, jsonChecked, wait }) => {
        timeMs += wait;
        return { ...batchOf(...bodies), jsonChecked, timeMs };
      });
      expect(decodeChunkObject(encodeChunkObject(parts), 'it')).toEqual(parts);
    }),
  );
});

test('no byte can be changed, cut off or added without being found', () => {
  const object = encodeChunkObject(PARTS);
  for (let index = 0; index < object.length; index++) {
    const changed = object.slice();
    changed[index] = (changed[index] ?? 0) ^ 0x41;
    expect(() => decodeChunkObject(changed, 'object 9')).toThrow(CorruptChunk);
    expect(() => decodeChunkObject(object.subarray(0, index), 'object 9')).toThrow(/^object 9/);
  }
  expect(() => decodeChunkObject(Uint8Array.of(...object, 0), 'object 9')).toThrow(CorruptChunk);
});

test('a chunk that is not the one its ref speaks of is refused', () => {
  const [one, two] = [batchOf('a'), batchOf('b', 'c')].map((batch) => ({ ...batch, timeMs: 5 }));
  if (one === undefined || two === undefined) throw new Error('no batches');
  const [first, second] = [encodeChunkObject([one]), encodeChunkObject([two])];
  const refsEnd = 3 + 1 + 8;
  const mixed = Uint8Array.of(...first.subarray(0, refsEnd), ...second.subarray(refsEnd));

  expect(() => decodeChunkObject(mixed, 'it')).toThrow(CorruptChunk);
});
