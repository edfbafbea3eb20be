/** Pages cut to what is handed over as a whole. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitPage } from '../../../lib/http/render/fitted-page.ts';
import { type PageAnswerOptions, pageAnswerBytes } from '../../../lib/http/render/page-answer.ts';
import type { MessagePage } from '../../../lib/services/read-messages.ts';
import { at, batchOf, idOf, streamName } from '../../support/batches.ts';

const OPTIONS: PageAnswerOptions = {
  stream: streamName('s'),
  format: 'json',
  base64: false,
  waited: false,
};

/** A chunk for each list of bodies. */
function pageOf(...bodies: readonly (readonly string[])[]): MessagePage {
  let next = 0;
  const chunks = bodies.map((list) => {
    const chunk = { ...batchOf(...list), base: at(next), timeMs: 5 };
    next += list.length;
    return chunk;
  });
  return {
    streamId: idOf(1),
    resolved: { from: 'first', offset: at(0), why: 'the default' },
    first: at(0),
    tail: at(next),
    next: at(next),
    upToDate: true,
    chunks,
    ended: 'chunks',
    sealedEnd: 0,
  };
}

const countOf = ({ chunks }: MessagePage) => chunks.reduce((sum, { count }) => sum + count, 0);
const bodies = fc.array(fc.array(fc.string({ maxLength: 200 }), { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 8,
});
const formats = fc.constantFrom('json', 'ndjson', 'text', 'binary', 'cloudevents');

test('LR4: what fits is left as it is', () => {
  const page = pageOf(['a', 'b'], ['c']);

  expect(fitPage(page, OPTIONS, undefined)).toEqual({ page, options: OPTIONS });
  expect(fitPage(page, OPTIONS, pageAnswerBytes(page, OPTIONS))).toEqual({
    page,
    options: OPTIONS,
  });
});

test('LR4: a page ends where its answer is full, and goes on from there', () => {
  const page = pageOf(['a', 'b'], ['c']);
  const { page: fitted } = fitPage(page, OPTIONS, pageAnswerBytes(page, OPTIONS) - 1);

  expect(fitted).toEqual({
    ...page,
    chunks: [page.chunks[0]],
    next: 2,
    upToDate: false,
    ended: 'bytes',
  });
});

test('LR4: in any format it fits, begins where it did and leaves nothing out', () => {
  fc.assert(
    fc.property(
      bodies,
      formats,
      fc.integer({ min: 1_800, max: 8_000 }),
      (lists, format, bytesMax) => {
        const page = pageOf(...lists);
        const { page: fitted, options } = fitPage(page, { ...OPTIONS, format }, bytesMax);

        expect(pageAnswerBytes(fitted, options)).toBeLessThanOrEqual(bytesMax);
        expect(countOf(fitted)).toBeGreaterThan(0);
        expect(fitted.next).toBe(countOf(fitted));
        expect(fitted.chunks[0]?.base).toBe(0);
      },
    ),
  );
});

test('LR4: one message that does not fit as text is given as base64', () => {
  const page = pageOf(['\u0001'.repeat(1_000)]);
  const asBase64 = { ...OPTIONS, base64: true };

  expect(fitPage(page, OPTIONS, 2_000)).toEqual({ page, options: asBase64 });
});

test('LR4: one that does not fit in this format at all is refused, and the way out named', () => {
  const page = pageOf(['a'.repeat(1_000)]);

  expect(() => fitPage(page, OPTIONS, 500)).toThrow(/offset 0 .* as=binary/);
});

test('F7 LR4: a page with others in between is cut behind a message it has', () => {
  const page = pageOf(['a', 'b'], ['c']);
  const [first, second] = page.chunks;
  if (first === undefined || second === undefined) throw new Error('two chunks');
  const filtered = {
    ...page,
    chunks: [
      { ...first, base: at(5) },
      { ...second, base: at(20) },
    ],
    next: at(40),
    tail: at(40),
  };
  const bytesMax = (count: number) =>
    pageAnswerBytes({ ...filtered, chunks: filtered.chunks.slice(0, count) }, OPTIONS);

  expect(fitPage(filtered, OPTIONS, bytesMax(2)).page).toBe(filtered);
  expect(fitPage(filtered, OPTIONS, bytesMax(2) - 1).page).toMatchObject({
    chunks: [filtered.chunks[0]],
    next: 7,
    upToDate: false,
    ended: 'bytes',
  });
  expect(fitPage(filtered, OPTIONS, bytesMax(1) - 30).page).toMatchObject({ next: 6 });
});
