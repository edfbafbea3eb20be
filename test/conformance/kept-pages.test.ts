/** Pages that never change: which they are, and what they leave out so that they may be kept for ever. */
import { describe, expect } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { createStream, numbered, publish, STREAM } from '../support/publish-steps.ts';
import { publishEach } from '../support/read-steps.ts';

const FOR_EVER = 'private, max-age=31536000, immutable';

/** Sealed segments [0, 10), [10, 20), and an active one from 20 on. */
async function prepare(api: Api): Promise<void> {
  await createStream(api, { segment_max_bytes: 10 });
  await publishEach(api, 10, 10, 5);
}

function read(api: Api, query: string, headers: { readonly [name: string]: string } = {}) {
  return api.call(`GET ${STREAM}/messages?${query}`, { headers });
}

const isKept = ({ headers }: Answer) => headers.get('cache-control') === FOR_EVER;

describe('a page within sealed segments', () => {
  test('LR6: is kept for ever, and tells nothing that changes', async ({ api }) => {
    await prepare(api);
    const answer = await read(api, 'from=0&limit=5');

    expect(answer.headers.get('cache-control')).toBe(FOR_EVER);
    expect(answer.headers.get('etag')).toContain(answer.headers.get('varve-stream-id'));
    expect(answer.headers.get('vary')).toContain('Accept, Accept-Encoding, Authorization');
    expect(answer.json()).toMatchObject({ next: 5, poll_after_ms: 0 });
    for (const member of ['first', 'tail', 'up_to_date']) {
      expect(answer.json()).not.toHaveProperty(member);
      expect(answer.headers.has(`varve-${member.replaceAll('_', '-')}`)).toBe(false);
    }
  });

  test('LR6: is the same later, byte for byte', async ({ api }) => {
    await prepare(api);
    const before = await read(api, 'from=3&limit=10');
    await publish(api, numbered(30));
    await api.call(`POST ${STREAM}/trim`, { body: { before: 2 } });
    const after = await read(api, 'from=3&limit=10');

    expect(after.text).toBe(before.text);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  test('LR6: is 304 to whoever has it', async ({ api }) => {
    await prepare(api);
    const etag = (await read(api, 'from=0&limit=5')).headers.get('etag') ?? '';
    const again = await read(api, 'from=0&limit=5', { 'if-none-match': etag });

    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(etag);
    expect(isKept(again)).toBe(true);
    expect((await read(api, 'from=0&limit=6', { 'if-none-match': etag })).status).toBe(200);
  });

  test('LR6: has a tag of its own in each form', async ({ api }) => {
    await prepare(api);
    const forms = ['', '&as=ndjson', '&as=text', '&as=binary', '&as=cloudevents', '&body=base64'];
    const answers = await Promise.all(forms.map((form) => read(api, `from=0&limit=5${form}`)));

    expect(answers.map(isKept)).toEqual(forms.map(() => true));
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(forms.length);
  });

  test('LR6: of another incarnation has another tag', async ({ api }) => {
    await prepare(api);
    const before = await read(api, 'from=0&limit=5');
    await api.call(`DELETE ${STREAM}`);
    await prepare(api);
    const after = await read(api, 'from=0&limit=5');

    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('LR6: ended by its bytes is kept too', async ({ api }) => {
    await prepare(api);

    expect(isKept(await read(api, 'from=0&max_bytes=4'))).toBe(true);
  });
});

describe('any other page', () => {
  test.for([
    ['that reaches into the active segment', 'from=18&limit=5'],
    ['that ends with all there is', 'from=0'],
    ['from a position that moves', 'from=first&limit=5'],
    ['from the end backwards', 'from=-25&limit=5'],
    ['from where it began before', 'limit=5'],
    ['from an offset in another spelling', 'from=00&limit=5'],
    ['that would wait', 'from=0&limit=5&wait=0'],
    ['until a time', `from=0&limit=5&until=${2 ** 52}`],
  ])('LR6: %s is not kept', async ([, query = ''], { api }) => {
    await prepare(api);
    const answer = await read(api, query);

    if (answer.status !== 400) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('etag')).toBeNull();
      expect(answer.json()).toHaveProperty('up_to_date');
    }
  });

  test('LR6: with a gap is not kept', async ({ api }) => {
    await prepare(api);
    await api.call(`POST ${STREAM}/trim`, { body: { before: 5 } });
    const answer = await read(api, 'from=2&limit=5');

    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json()).toMatchObject({ gap: { requested: 2 }, first: 5, tail: 25 });
  });

  test('LR6: asked for by POST is not kept', async ({ api }) => {
    await prepare(api);
    const answer = await api.call(`POST ${STREAM}/read`, { body: { from: 0, limit: 5 } });

    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json()).toMatchObject({ first: 0, tail: 25, up_to_date: false });
  });
});
