/** What lies in the bucket is what was published: read past the functions, by two decoders of the format. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { streamId } from '../../../../lib/core/log/ids.ts';
import { decodeChunkObject } from '../../../../lib/format/chunk-object.ts';
import { parseChunkObjectName, streamPrefix } from '../../../../lib/format/object-key.ts';
import { decodeRecord } from '../../../../lib/wire/record.ts';
import { VarintReader } from '../../../../lib/wire/varint.ts';
import type { Api } from '../../../support/api.ts';
import { createStream, publish, STREAM } from '../../../support/publish-steps.ts';
import { range } from '../../../support/read-steps.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { openBucket } from '../bucket.ts';
import { functionUrlApi } from '../stage-api.ts';

const DECODER = fileURLToPath(new URL('../../../format/decode_object.py', import.meta.url));
const OBJECTS_AT_ONCE = 16;

const texts = (n: number) => range(0, n + 1).map((m) => `message ${m} of publish ${n}: ä`);

/** Ten publishes, of one message, of two, and so on. */
async function publishTen(api: Api): Promise<readonly string[]> {
  await createStream(api);
  for (const n of range(0, 10)) {
    const answer = await publish(
      api,
      texts(n).map((text) => ({ text })),
    );
    expect(answer.status).toBe(200);
  }
  return range(0, 10).flatMap(texts);
}

function bodiesOf(object: Uint8Array, name: string): readonly string[] {
  return decodeChunkObject(object, name).flatMap(({ count, records }) => {
    const reader = new VarintReader(records);
    return range(0, count).map(() => Buffer.from(decodeRecord(reader).body).toString());
  });
}

test('P2: what was acknowledged lies in the bucket, one object for each publish', async () => {
  const api = functionUrlApi();
  const published = await publishTen(api);
  const id = streamId(String((await api.call(`GET ${STREAM}`)).json()['stream_id']));
  const bucket = openBucket();
  const names = await bucket.names(streamPrefix(id));
  const objects = await Promise.all(names.map(async (name) => await bucket.read(name)));

  expect(objects.map((object, n) => bodiesOf(object, `${n}`))).toEqual(range(0, 10).map(texts));
  expect(decodedByPython(objects)).toEqual(published);
});

function decodedByPython(objects: readonly Uint8Array[]): readonly string[] {
  using folder = temporaryFolder();
  const files = objects.map((object, n) => {
    const file = join(folder.path, `${n}`);
    writeFileSync(file, object);
    return file;
  });
  const lines = execFileSync('python3', [DECODER, ...files], { encoding: 'utf8' }).trim();
  return lines.split('\n').flatMap((line) => {
    const messages: readonly { readonly body: string }[] = JSON.parse(line);
    return messages.map(({ body }) => body);
  });
}

interface Plan {
  readonly next: number;
  readonly objects: readonly {
    readonly start: number;
    readonly end: number;
    readonly url: string;
  }[];
}

test('LR7: a plan leads to the objects, by URLs that need no other right', async () => {
  const api = functionUrlApi();
  const published = await publishTen(api);
  const plan: Plan = JSON.parse((await api.call(`POST ${STREAM}/read-plan`, { body: {} })).text);
  expect(plan).toMatchObject({ next: 55, objects: { length: 10 } });

  const bodies = await Promise.all(
    plan.objects.map(async ({ url }) => {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      return bodiesOf(new Uint8Array(await answer.arrayBuffer()), url);
    }),
  );
  expect(bodies.flat()).toEqual(published);

  const [first] = plan.objects;
  const unsigned = await fetch(String(first?.url).replace(/\?.*/, ''));
  const other = await fetch(String(first?.url).replace(/Signature=..../, 'Signature=0000'));
  expect([unsigned.status, other.status]).toEqual([403, 403]);
});

test('every object in the bucket is one of chunks and can be decoded', async () => {
  await publishTen(functionUrlApi());
  const bucket = openBucket();
  const names = await bucket.names();
  const left = [...names];
  const decode = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      expect(parseChunkObjectName(name), name).toBeDefined();
      expect(bodiesOf(await bucket.read(name), name).length).toBeGreaterThan(0);
    }
  };
  await Promise.all(range(0, OBJECTS_AT_ONCE).map(decode));
  process.stdout.write(`${names.length} objects were decoded\n`);

  expect(names.length).toBeGreaterThanOrEqual(10);
});
