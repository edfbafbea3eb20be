/** lib/FORMAT.md shows bytes: here they are what the code writes, and the tables those that it creates. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../lib/embedded/database.ts';
import { decodeChunk, encodeChunk } from '../../lib/format/chunk.ts';
import { decodeChunkObject, encodeChunkObject } from '../../lib/format/chunk-object.ts';
import { encodeRunRefs } from '../../lib/format/run-refs.ts';
import { decodeTailRef, encodeTailRef } from '../../lib/format/tail-ref.ts';
import { encodeUlid } from '../../lib/format/ulid.ts';
import { encodeFrameHeader } from '../../lib/wire/frame.ts';
import { encodeRecords } from '../../lib/wire/record.ts';
import { atOffsets, packSegment, readSegment } from '../support/segment-objects.ts';

const document = readFileSync(new URL('../../lib/FORMAT.md', import.meta.url), 'utf8');
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

/** The bytes of the block that is marked with this name. */
function example(name: string): Uint8Array {
  const block = new RegExp(`\`\`\`hex ${name}\n(.*?)\`\`\``, 's').exec(document)?.[1] ?? '';
  return new Uint8Array(Buffer.from(block.replace(/#.*/g, '').replace(/\s/g, ''), 'hex'));
}

const records = encodeRecords([
  { body: bytes('[1]'), contentType: 'application/json', key: bytes('k') },
  { body: bytes('hi'), contentType: 'text/plain; charset=utf-8', headers: bytes('{"a":1}') },
]);
const timeMs = 1_795_946_400_000;
const chunk = { count: 2, records, bytes: 13, jsonChecked: true };

describe('the example of', () => {
  test('records', () => {
    expect(records).toEqual(example('records'));
  });

  test('a frame', () => {
    const header = encodeFrameHeader({
      count: 2,
      records,
      position: { base: 300, timestampMs: timeMs },
    });

    expect(Uint8Array.of(...header, ...records)).toEqual(example('frame'));
  });

  test('a chunk', () => {
    expect(encodeChunk(chunk)).toEqual(example('chunk'));
    expect(decodeChunk(example('chunk'), 'the example')).toEqual(chunk);
  });

  test('refs', () => {
    const chunkBytes = example('chunk').length;
    const refs = [
      { count: 2, chunkBytes, timeMs, opensSegment: true },
      { count: 10, chunkBytes: 1_200, timeMs: timeMs + 5, opensSegment: false },
    ];

    expect(encodeRunRefs({ base: 300, refs })).toEqual(example('refs'));
  });

  test('an object', () => {
    const single = { count: 1, records: bytes('\x02\x01o'), bytes: 1, jsonChecked: false };
    const parts = [
      { ...chunk, timeMs },
      { ...single, timeMs: timeMs + 5 },
    ];

    expect(encodeChunkObject(parts)).toEqual(example('object'));
    expect(decodeChunkObject(example('object'), 'the example')).toEqual(parts);
  });

  test('a segment object', () => {
    const single = { count: 1, records: bytes('\x02\x01o'), bytes: 1, jsonChecked: false };
    const chunks = [
      { ...chunk, timeMs },
      { ...single, timeMs: timeMs + 5 },
    ];

    expect(packSegment(300, chunks).object).toEqual(example('segment'));
    expect(readSegment(example('segment'))).toEqual(atOffsets(300, chunks));
  });

  test('a ref', () => {
    const ref = {
      ulid: encodeUlid(timeMs, '00112233445566778899'),
      count: 2,
      bytes: 13,
      timeMs: timeMs + 5,
      opensSegment: true,
    };

    expect(encodeTailRef(ref)).toEqual(example('ref'));
    expect(decodeTailRef(example('ref'), 'the example')).toEqual(ref);
  });
});

test('every table and column is described', () => {
  const database = openDatabase(':memory:');
  const columns = database
    .prepare(
      `SELECT t.name AS "table", c.name AS column FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all();
  const rowOf = (table: unknown) =>
    document.split('\n').find((line) => line.startsWith(`| \`${table}\``)) ?? '';
  const missing = columns.filter(({ table, column }) => !rowOf(table).includes(`\`${column}\``));

  expect(columns.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});
