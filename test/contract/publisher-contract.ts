/** The contract of named publishers: which ids are new, what a repeat is told, who is forgotten. */
import { describe, expect, test } from 'vitest';
import { PUBLISHERS_PER_STREAM_MAX } from '../../lib/core/log/limits.ts';
import { publisherName } from '../support/batches.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  readAll,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

const P = publisherName('p');
const named = (ids: readonly number[], rest: { epoch?: number; expectedOffset?: number } = {}) => {
  const { epoch, ...conditions } = rest;
  const publisher = { name: P, ids, ...(epoch !== undefined && { epoch }) };
  const bodies = ids.map((id) => `p${id}`);
  return append(bodies, { publisher, ...conditions });
};

export function describePublishers({ ports, restart }: Subject): void {
  const record = () => ports().log.publisher(STREAM_ID, P);

  describe('publishers', () => {
    test('D1 D2 D3: ids that are new are stored, known ones are not, also after a restart', async () => {
      await createStream(ports());
      await publish(ports(), ...[1, 2, 3].map((id) => named([id])));
      await restart();
      const outcomes = await publish(ports(), named([2]), named([3]), named([5]));

      expect(outcomes).toMatchObject([
        { kind: 'duplicate', duplicates: 1 },
        { kind: 'duplicate', range: { start: 2, end: 3 } },
        { kind: 'stored', start: 3, end: 4 },
      ]);
      expect(bodiesOf(await readAll(ports()))).toEqual(['p1', 'p2', 'p3', 'p5']);
      expect(await record()).toEqual({
        highestId: 5,
        latest: { firstId: 5, count: 1, start: 3, end: 4 },
      });
    });

    test('D3: any first id, 0 and the largest one too', async () => {
      await createStream(ports());
      expect(await publish(ports(), named([0]))).toMatchObject([{ kind: 'stored' }]);
      expect((await record())?.highestId).toBe(0);

      const largest = Number.MAX_SAFE_INTEGER;
      expect(await publish(ports(), named([largest]))).toMatchObject([{ kind: 'stored' }]);
      await restart();
      expect((await record())?.highestId).toBe(largest);
    });

    test('D4: of a batch that is partly known the rest is stored', async () => {
      await createStream(ports());
      await publish(ports(), named([10, 11, 12]));
      const [outcome] = await publish(ports(), named([11, 12, 14, 16]));

      expect(outcome).toMatchObject({ kind: 'stored', start: 3, end: 5, duplicates: 2 });
      expect(bodiesOf(await readAll(ports()))).toEqual(['p10', 'p11', 'p12', 'p14', 'p16']);
      expect((await readAll(ports())).map(({ bytes }) => bytes)).toEqual([9, 6]);
    });

    test('D5: a repeat of the latest request is told where its messages stand', async () => {
      await createStream(ports());
      await publish(ports(), named([10, 11, 12]), append(['other']));
      await restart();

      expect(await publish(ports(), named([10, 11, 12]), named([11, 12]), named([10]))).toEqual([
        { ...duplicate(3), range: { start: 0, end: 3 } },
        duplicate(2),
        duplicate(1),
      ]);
    });

    test('D5: a repeat in the commit of the original is judged after it', async () => {
      await createStream(ports());
      const outcomes = await ports().log.commit([named([1, 2]), named([1, 2]), named([2, 3])]);

      expect(outcomes).toMatchObject([
        { kind: 'stored', start: 0, end: 2 },
        { kind: 'duplicate', range: { start: 0, end: 2 }, next: 2 },
        { kind: 'stored', start: 2, end: 3, duplicates: 1 },
      ]);
    });

    test('D8: what was never published has no record, nor has an unknown stream', async () => {
      expect(await record()).toBeUndefined();
      await createStream(ports());

      expect(await record()).toBeUndefined();
    });

    test('D9: as many publishers as the limit are remembered, the one silent for longest goes', async () => {
      await createStream(ports());
      const names = Array.from({ length: PUBLISHERS_PER_STREAM_MAX + 1 }, (_, n) =>
        publisherName(`p${`${n}`.padStart(3, '0')}`),
      );
      const by = (name: (typeof names)[number], id: number) =>
        append(['x'], { publisher: { name, ids: [id] } });
      const [first, second, ...others] = names;
      if (first === undefined || second === undefined) throw new Error('no publishers');

      await ports().log.commit(
        [second, first, ...others.slice(0, -1)].map((name) => by(name, 100)),
      );
      await publish(ports(), by(second, 101));
      expect(await listed()).toHaveLength(PUBLISHERS_PER_STREAM_MAX);
      await publish(ports(), ...others.slice(-1).map((name) => by(name, 100)));
      await restart();

      expect(await listed()).toEqual(names.filter((name) => name !== first));
      const repeats = await publish(ports(), by(first, 100), by(second, 100));
      expect(repeats.map(({ kind }) => kind)).toEqual(['stored', 'duplicate']);
    });

    test('D10: what is refused or known leaves the record as it was', async () => {
      await createStream(ports());
      await publish(ports(), named([7]));
      const before = await record();
      await publish(ports(), named([8], { expectedOffset: 9 }), named([6, 7]));

      expect(await record()).toEqual(before);
      expect(await publish(ports(), named([8]))).toMatchObject([{ kind: 'stored', start: 1 }]);
    });

    test('D11: a lower epoch, or none after one, is refused', async () => {
      await createStream(ports());
      const fenced = { kind: 'reject', code: 'publisher_fenced', epoch: 2 };
      await publish(ports(), named([1], { epoch: 2 }));
      await restart();

      expect(await publish(ports(), named([2], { epoch: 1 }), named([2]))).toEqual([
        fenced,
        fenced,
      ]);
      expect(await record()).toEqual({
        highestId: 1,
        epoch: 2,
        latest: { firstId: 1, count: 1, start: 0, end: 1 },
      });
      expect(await publish(ports(), named([2], { epoch: 3 }))).toMatchObject([{ kind: 'stored' }]);
      expect(await publish(ports(), named([3], { epoch: 2 }))).toEqual([{ ...fenced, epoch: 3 }]);
    });

    test('publishers are listed in pages by name', async () => {
      await createStream(ports());
      const names = ['a', 'aa', 'ab', 'b'].map(publisherName);
      await ports().log.commit(
        names.map((name) => append(['x'], { publisher: { name, ids: [1] } })),
      );
      const page = async (prefix: string, startAfter: string, limit: number) => {
        const entries = await ports().log.listPublishers(STREAM_ID, { prefix, startAfter, limit });
        return entries.map(({ name }) => name);
      };

      expect(await page('', '', 2)).toEqual(['a', 'aa']);
      expect(await page('', 'aa', 9)).toEqual(['ab', 'b']);
      expect(await page('a', '', 9)).toEqual(['a', 'aa', 'ab']);
      expect(await page('a', 'aa', 9)).toEqual(['ab']);
      expect(await page('c', '', 9)).toEqual([]);
    });
  });

  async function listed() {
    const query = { prefix: '', startAfter: '', limit: 1_000 };
    return (await ports().log.listPublishers(STREAM_ID, query)).map(({ name }) => name);
  }

  function duplicate(duplicates: number) {
    return { kind: 'duplicate', duplicates, next: 4, streamId: STREAM_ID };
  }
}
