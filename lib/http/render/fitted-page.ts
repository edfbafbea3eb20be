/**
 * Cuts a page so that its answer fits where answers are handed over as a whole (SPEC LR4): `next` tells
 * where to go on, so whoever walks by it gets every message once. One message always fits: as base64 when
 * it does not as text, where each control character takes six bytes.
 */

import { LogError } from '../../services/log-error.ts';
import { takeSlices } from '../../services/page-slices.ts';
import type { MessagePage } from '../../services/read-messages.ts';
import { type PageAnswerOptions, pageAnswerBytes } from './page-answer.ts';

interface FittedPage {
  readonly page: MessagePage;
  readonly options: PageAnswerOptions;
}

export function fitPage(
  page: MessagePage,
  options: PageAnswerOptions,
  bytesMax: number | undefined,
): FittedPage {
  if (bytesMax === undefined) return { page, options };

  let fitted = page;
  for (;;) {
    const bytes = pageAnswerBytes(fitted, options);
    if (bytes <= bytesMax) return { page: fitted, options };
    const count = countOf(fitted);
    if (count <= 1) return fitOne(fitted, options, bytesMax);
    // Messages differ in size, so what is cut by their average may still be too large, and is cut again.
    fitted = cutPage(fitted, Math.max(Math.floor(count * (bytesMax / bytes)), 1));
  }
}

function fitOne(page: MessagePage, options: PageAnswerOptions, bytesMax: number): FittedPage {
  const asBase64 = { ...options, base64: true };
  if (pageAnswerBytes(page, asBase64) <= bytesMax) return { page, options: asBase64 };
  throw new LogError(
    `the message at offset ${page.chunks[0]?.base} is too large for an answer in this format here: read it with as=binary`,
    { code: 'not_acceptable', details: { field: 'as' } },
  );
}

function countOf({ chunks }: MessagePage): number {
  return chunks.reduce((sum, chunk) => sum + chunk.count, 0);
}

function cutPage(page: MessagePage, limit: number): MessagePage {
  const from = page.chunks[0]?.base ?? page.next;
  const bounds = {
    from,
    end: page.next,
    limit,
    bytesMax: Number.POSITIVE_INFINITY,
    firstBytesMax: Number.POSITIVE_INFINITY,
  };
  const { chunks, next } = takeSlices(page.chunks, bounds);
  return { ...page, chunks, next, upToDate: false, ended: 'bytes' };
}
