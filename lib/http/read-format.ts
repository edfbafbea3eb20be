/** In which format a read is answered: by `as`, else by `Accept` (api, "Content types"). */
import { LogError } from '../services/log-error.ts';
import { MESSAGES_TYPE } from '../wire/frame.ts';

export const READ_FORMATS = ['json', 'ndjson', 'sse', 'text', 'binary', 'cloudevents'] as const;
export type ReadFormat = (typeof READ_FORMATS)[number];

export const FORMAT_TYPES: { readonly [Format in ReadFormat]: string } = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  sse: 'text/event-stream',
  text: 'text/plain; charset=utf-8',
  binary: MESSAGES_TYPE,
  cloudevents: 'application/cloudevents-batch+json',
};

interface Acceptable {
  readonly range: string;
  readonly quality: number;
}

/** The client's best match; JSON where it has no preference. */
export function negotiateFormat(accept: string | null): ReadFormat {
  if (accept === null || accept.trim() === '') return 'json';

  const ranges = accept.split(',').map(parseRange);
  const rated = READ_FORMATS.map((format) => ({ format, quality: qualityOf(format, ranges) }));
  const best = rated.reduce((a, b) => (b.quality > a.quality ? b : a));
  if (best.quality > 0) return best.format;
  throw new LogError(
    `none of ${JSON.stringify(accept.slice(0, 255))} can be given: accept one of ${Object.values(FORMAT_TYPES).join(', ')}, or choose by ?as=`,
    { code: 'not_acceptable', details: { field: 'Accept' } },
  );
}

function parseRange(text: string): Acceptable {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { range, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** The most specific range decides (RFC 9110): `*\/*;q=0.1` does not lower a type named beside it. */
function qualityOf(format: ReadFormat, ranges: readonly Acceptable[]): number {
  const type = FORMAT_TYPES[format].split(';', 1)[0] ?? '';
  const family = `${type.split('/', 1)[0]}/*`;
  for (const wanted of [type, family, '*/*']) {
    const match = ranges.find(({ range }) => range === wanted);
    if (match !== undefined) return match.quality;
  }
  return 0;
}
