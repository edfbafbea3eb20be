/**
 * Pages that never change, and so may be kept for ever (SPEC LR6): whole answers to a GET from an exact offset,
 * ended by the reader's own bounds within sealed segments. Everything else may read otherwise a moment later.
 */
import type { MessageFilter } from '../../core/filter/filter.ts';
import type { MessagePage } from '../../services/read-messages.ts';
import { VERSION } from '../../version.ts';
import { sha256 } from '../entity.ts';
import type { RouteRequest } from '../route.ts';
import type { ReadParameters } from '../schemas/read-parameters.ts';
import type { PageAnswerOptions } from './page-answer.ts';

export const KEPT_FOR_EVER = 'private, max-age=31536000, immutable';

export interface KeptPageOptions {
  readonly page: MessagePage;
  readonly options: PageAnswerOptions;
  readonly filter: MessageFilter | undefined;
}

/** The tag of its answer; undefined for a page that is not to be kept. */
export function keptPageTag(
  { raw }: Pick<RouteRequest, 'raw'>,
  parameters: ReadParameters,
  { page, options, filter }: KeptPageOptions,
): string | undefined {
  const { from, wait, until, follow, consumer } = parameters;
  const isOpenEnded = wait !== undefined || until !== undefined || follow === true;
  const isPlain = !isOpenEnded && consumer === undefined;
  const isAsked = raw.method !== 'POST' && isPlain && isExactOffset(from, page);
  const isWhole = page.ended === 'limit' || page.ended === 'bytes';
  if (!isAsked || !isWhole || page.gap !== undefined || page.next > page.sealedEnd) {
    return undefined;
  }
  // Told by what makes the bytes what they are, since hashing them would cost as much as reading them.
  const parts = [page.streamId, String(from), page.next, options.format, VERSION];
  if (options.base64) parts.push('base64');
  if (filter !== undefined) parts.push(sha256(JSON.stringify(filter)).slice(0, 22));
  return `"${parts.join('-')}"`;
}

/** Written as it resolves: another spelling is another answer, as it is repeated there. */
function isExactOffset(from: string | number | undefined, { resolved }: MessagePage): boolean {
  return String(from) === String(resolved.offset);
}
