/**
 * Cuts a page so that its answer fits where answers are handed over as a whole (SPEC LR4): `next` tells
 * where to go on, so whoever walks by it gets every message once. One message always fits: as base64 when
 * it does not as text, where each control character takes six bytes.
 */
import { offset } from '../../core/log/ids.ts';
import type { StoredChunk } from '../../ports/log-store.ts';
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

/** To so many messages, at least one and fewer than it has. A filtered page has chunks with others in between. */
function cutPage(page: MessagePage, limit: number): MessagePage {
  const chunks: StoredChunk[] = [];
  let left = limit;
  for (const chunk of page.chunks) {
    if (left === 0) break;
    const taken = firstMessages(chunk, left);
    chunks.push(taken);
    left -= taken.count;
  }
  const last = chunks.at(-1);
  const next = last === undefined ? page.next : offset(last.base + last.count);
  return { ...page, chunks, next, upToDate: false, ended: 'bytes' };
}

function firstMessages(chunk: StoredChunk, limit: number): StoredChunk {
  const bytesMax = Number.POSITIVE_INFINITY;
  const end = offset(chunk.base + chunk.count);
  const bounds = { from: chunk.base, end, limit, bytesMax, firstBytesMax: bytesMax };
  return takeSlices([chunk], bounds).chunks[0] ?? chunk;
}
