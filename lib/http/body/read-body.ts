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

/**
 * What is read of a body beyond its limit before the answer: a client that is cut off while it still
 * sends sees a reset connection instead of the 413.
 */
const SENT_BYTES_MAX = 4 * REQUEST_BYTES_MAX;

/** Each frame of zstd takes a decoder of its own, about 0.1 ms. */
const FRAMES_MAX = 1_000;

interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten` is how much of the input it has used: a decoder stops where its stream ends. */
  readonly engine: { readonly bytesWritten: number };
}

const INFLATE: {
  readonly [encoding: string]: (body: Uint8Array, options: object) => Promise<unknown>;
} = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) };

/** `limit` in bytes, as sent and decoded. */
export async function readBody(
  request: Request,
  budget: BodyBudget,
  limit = REQUEST_BYTES_MAX,
): Promise<HeldBody> {
  refuseTransferCoding(request);
  const encoding = contentEncoding(request);
  const length = declaredLength(request);
  if (length !== undefined && length > limit) await refuseLong(request, length, limit);

  // A small body of unknown length passes freely like any other small one.
  const expected = encoding === undefined ? (length ?? 0) : limit;
  const hold = { release: await budget.acquire(expected) };
  const release = () => hold.release();
  try {
    const sent =
      length === undefined
        ? await receiveStream(request.body, limit, async () => {
            if (expected === 0) hold.release = await budget.acquire(limit);
          })
        : new Uint8Array(await request.arrayBuffer());
    return { bytes: encoding === undefined ? sent : await inflate(sent, encoding, limit), release };
  } catch (error) {
    release();
    throw error instanceof LogError ? error : brokenOff(error);
  }
}

async function refuseLong(request: Request, length: number, limit: number): Promise<never> {
  if (length <= SENT_BYTES_MAX) await discard(request.body);
  throw tooLarge(limit, length);
}

function brokenOff(cause: unknown): LogError {
  return new LogError('the body broke off before its end', { code: 'invalid_request', cause });
}

/** A server that frames a body leaves codings beside `chunked` in it, and it would be stored coded. */
function refuseTransferCoding({ headers }: Request): void {
  const coding = headers.get('transfer-encoding')?.trim().toLowerCase() ?? 'chunked';
  if (coding === 'chunked') return;
  throw new LogError(
    `Transfer-Encoding ${JSON.stringify(coding.slice(0, 64))} is not taken: send chunked alone`,
    { code: 'unsupported_media_type', details: { field: 'Transfer-Encoding' } },
  );
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
  limit: number,
  grows: () => Promise<void>,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    if (size <= FREE_BYTES_MAX && size + part.byteLength > FREE_BYTES_MAX) await grows();
    size += part.byteLength;
    if (size <= limit) parts.push(part);
    if (size > SENT_BYTES_MAX) break;
  }
  if (size > limit) throw tooLarge(limit, size);
  return Buffer.concat(parts);
}

/**
 * All of what was sent: zstd ends with its first frame, gzip at a zero byte, and who takes that for the
 * end of the body acknowledges what is not stored.
 */
async function inflate(sent: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let [start, size] = [0, 0];
  do {
    if (parts.length === FRAMES_MAX) {
      throw notEncoded(`the body has more than ${FRAMES_MAX} frames of ${encoding}: send one`);
    }
    const part = await inflateNext(sent.subarray(start), encoding, limit);
    parts.push(part.buffer);
    start += part.engine.bytesWritten;
    size += part.buffer.length;
    if (size > limit) throw tooLarge(limit, size);
  } while (start < sent.length);
  return Buffer.concat(parts);
}

async function inflateNext(rest: Uint8Array, encoding: string, limit: number): Promise<Inflated> {
  try {
    const options = { info: true, maxOutputLength: limit };
    return (await INFLATE[encoding]?.(rest, options)) as Inflated;
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(limit, limit + 1);
    throw notEncoded(`the body is not valid ${encoding}`, cause);
  }
}

function notEncoded(message: string, cause?: unknown): LogError {
  return new LogError(message, {
    code: 'invalid_request',
    details: { field: 'Content-Encoding' },
    cause,
  });
}

/** A length that no number holds exactly is not told. */
function tooLarge(limit: number, actual: number): LogError {
  const told = Number.isSafeInteger(actual) && { actual };
  return new LogError(`the body is over ${limit} bytes, which is the limit of this request`, {
    code: 'request_too_large',
    details: { limit, ...told },
  });
}
