/**
 * Reads a request's body within its limits, before and after `Content-Encoding` (SPEC P6). A bomb is
 * given up at the limit, not inflated.
 */
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { REQUEST_BYTES_MAX } from '../../core/log/limits.ts';
import { LogError } from '../../services/log-error.ts';
import { type BodyBudget, FREE_BYTES_MAX } from '../body-budget.ts';

export interface HeldBody {
  readonly bytes: Uint8Array;
  /** Gives the memory back to the budget; to be called when the answer is made. */
  release(): void;
}

/** What is read of a body beyond the limit before the answer: a client that is cut off while it
 *  still sends sees a reset connection instead of the 413. */
const EXCESS_FACTOR = 4;

const INFLATE: {
  readonly [encoding: string]: (body: Uint8Array, options: object) => Promise<Buffer>;
} = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) };

export async function readBody(request: Request, budget: BodyBudget): Promise<HeldBody> {
  const encoding = contentEncoding(request);
  const length = declaredLength(request);
  if (length !== undefined && length > REQUEST_BYTES_MAX) await refuseLong(request, length);

  // A small body of unknown length passes freely like any other small one.
  const expected = encoding === undefined ? (length ?? 0) : REQUEST_BYTES_MAX;
  const hold = { release: await budget.acquire(expected) };
  const release = () => hold.release();
  try {
    const sent =
      length === undefined
        ? await receiveStream(request.body, async () => {
            if (expected === 0) hold.release = await budget.acquire(REQUEST_BYTES_MAX);
          })
        : new Uint8Array(await request.arrayBuffer());
    return { bytes: encoding === undefined ? sent : await inflate(sent, encoding), release };
  } catch (error) {
    release();
    throw error instanceof LogError ? error : brokenOff(error);
  }
}

async function refuseLong(request: Request, length: number): Promise<never> {
  if (length <= REQUEST_BYTES_MAX * EXCESS_FACTOR) await discard(request.body);
  throw tooLarge(length);
}

function brokenOff(cause: unknown): LogError {
  return new LogError('the body broke off before its end', { code: 'invalid_request', cause });
}

function contentEncoding({ headers }: Request): string | undefined {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return undefined;
  if (Object.hasOwn(INFLATE, encoding)) return encoding;
  throw new LogError(
    `Content-Encoding ${JSON.stringify(encoding.slice(0, 64))} is not taken: send gzip, zstd or none`,
    { code: 'unsupported_media_type', details: { field: 'Content-Encoding' } },
  );
}

/** Undefined for a body whose length shows only at its end. */
function declaredLength({ headers }: Request): number | undefined {
  if (headers.get('transfer-encoding') !== null) return undefined;
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
}

async function discard(body: Request['body']): Promise<void> {
  try {
    for await (const _ of body ?? []);
  } catch (cause) {
    throw brokenOff(cause);
  }
}

/** `grows` is awaited once, when the body turns out not to be a small one. */
async function receiveStream(
  body: Request['body'],
  grows: () => Promise<void>,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    if (size <= FREE_BYTES_MAX && size + part.byteLength > FREE_BYTES_MAX) await grows();
    size += part.byteLength;
    if (size <= REQUEST_BYTES_MAX) parts.push(part);
    if (size > REQUEST_BYTES_MAX * EXCESS_FACTOR) break;
  }
  if (size > REQUEST_BYTES_MAX) throw tooLarge(size);
  return Buffer.concat(parts);
}

async function inflate(sent: Uint8Array, encoding: string): Promise<Uint8Array> {
  try {
    const inflated = await INFLATE[encoding]?.(sent, { maxOutputLength: REQUEST_BYTES_MAX });
    return inflated ?? sent;
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(REQUEST_BYTES_MAX + 1);
    throw new LogError(`the body is not valid ${encoding}`, {
      code: 'invalid_request',
      details: { field: 'Content-Encoding' },
      cause,
    });
  }
}

function tooLarge(actual: number): LogError {
  return new LogError(
    `the body is over ${REQUEST_BYTES_MAX} bytes, the limit of a request: split it`,
    { code: 'request_too_large', details: { limit: REQUEST_BYTES_MAX, actual } },
  );
}
