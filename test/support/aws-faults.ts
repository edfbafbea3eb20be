/**
 * Faults between the AWS SDK and the network, as `wrapHandler` of the clients: what the services document
 * and emulators never do. A fault strikes before a request is sent on or after it took effect, so that the
 * two cannot be told apart by whoever waits for the answer. By script, or by chance from a seed.
 */
import { Readable } from 'node:stream';
import type { AwsSettings } from '../../lib/aws/aws-clients.ts';

export type OperationName =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'UpdateItem'
  | 'PutItem'
  | 'DeleteItem'
  | 'TransactWriteItems'
  | 'BatchWriteItem'
  | 'PutObject'
  | 'GetObject'
  | 'ListObjectsV2'
  | 'DeleteObjects';

export type Fault =
  /** The service answers with an error and does nothing. */
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly code: string;
      readonly members?: { readonly [name: string]: unknown };
    }
  /** Any answer at all, given without asking the service. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  /** No connection can be made. */
  | { readonly kind: 'no-connection' }
  /** The connection ends: before the request had an effect, or after it had. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** No answer ever comes: only a time limit ends the wait. */
  | { readonly kind: 'silence'; readonly when: 'before' | 'after' }
  /** Nothing happens to this one: to reach a later request with a script. */
  | { readonly kind: 'pass' };

export interface SentRequest {
  readonly headers: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: unknown };
  readonly body: string;
}

export interface AwsFaults {
  readonly wrapHandler: NonNullable<AwsSettings['wrapHandler']>;
  /** What the next requests of the operation meet, in this order; several calls add up. */
  next(operation: OperationName, ...faults: readonly Fault[]): void;
  /** From now on each request without a script meets one of the faults in `rate` of the cases. */
  sometimes(chance: FaultChance | undefined): void;
  /** Everything that was to be sent, whatever it met. */
  requests(operation: OperationName): readonly SentRequest[];
}

export interface FaultChance {
  readonly random: () => number;
  readonly rate: number;
  faultsOf(operation: OperationName): readonly Fault[];
}

type Handler = Parameters<AwsFaults['wrapHandler']>[0];
type HandlerOptions = { readonly abortSignal?: unknown } | undefined;

/** As the SDK hands it over. */
interface HttpRequest {
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: unknown };
  readonly body?: string | Uint8Array;
}

export const PASS: Fault = { kind: 'pass' };
export const NO_CONNECTION: Fault = { kind: 'no-connection' };
export const RESET: Fault = { kind: 'reset', when: 'before' };
export const LOST_ANSWER: Fault = { kind: 'reset', when: 'after' };
export const SILENCE: Fault = { kind: 'silence', when: 'before' };
export const SILENCE_AFTER: Fault = { kind: 'silence', when: 'after' };
export const INTERNAL_ERROR: Fault = { kind: 'error', status: 500, code: 'InternalServerError' };
export const SLOW_DOWN: Fault = { kind: 'error', status: 503, code: 'SlowDown' };
export const THROTTLED: Fault = { kind: 'error', status: 400, code: 'ThrottlingException' };
export const OVER_CAPACITY: Fault = {
  kind: 'error',
  status: 400,
  code: 'ProvisionedThroughputExceededException',
};
/** A plain write met an open transaction: it was not stored. */
export const MET_TRANSACTION: Fault = {
  kind: 'error',
  status: 400,
  code: 'TransactionConflictException',
};
/** Two conditional puts of one object at a time. */
export const PUT_CONFLICT: Fault = {
  kind: 'error',
  status: 409,
  code: 'ConditionalRequestConflict',
};

/** A code for each step, `None` for those that are not the reason. */
export function canceled(...codes: readonly string[]): Fault {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  return {
    kind: 'error',
    status: 400,
    code: 'TransactionCanceledException',
    members: { CancellationReasons },
  };
}

export function createAwsFaults(): AwsFaults {
  const scripts = new Map<OperationName, Fault[]>();
  const sent = new Map<OperationName, SentRequest[]>();
  let chance: FaultChance | undefined;

  function faultFor(operation: OperationName): Fault {
    const scripted = scripts.get(operation)?.shift();
    if (scripted !== undefined) return scripted;
    if (chance === undefined || chance.random() >= chance.rate) return PASS;
    const faults = chance.faultsOf(operation);
    return faults[Math.floor(chance.random() * faults.length)] ?? PASS;
  }

  return {
    wrapHandler: (handler) =>
      // What else the client wants of its handler stays as it is.
      Object.assign(Object.create(handler), {
        handle(request: HttpRequest, options: HandlerOptions) {
          const operation = operationOf(request);
          append(sent, operation, [sentRequest(request)]);
          const send = () => handler.handle(request, options);
          return meet(faultFor(operation), { send, isS3: isS3(request), options });
        },
      }),
    next: (operation, ...faults) => append(scripts, operation, faults),
    sometimes: (next) => {
      chance = next;
    },
    requests: (operation) => sent.get(operation) ?? [],
  };
}

function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, values: readonly Value[]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...values]);
}

function isS3({ headers }: HttpRequest): boolean {
  return headers['x-amz-target'] === undefined;
}

function operationOf(request: HttpRequest): OperationName {
  const target = request.headers['x-amz-target'];
  // A value such as `DynamoDB_20120810.GetItem`.
  if (target !== undefined) return target.split('.')[1] as OperationName;
  if (request.method === 'PUT') return 'PutObject';
  if (request.method === 'POST') return 'DeleteObjects';
  return request.query?.['list-type'] === undefined ? 'GetObject' : 'ListObjectsV2';
}

function sentRequest({ headers, query = {}, body = '' }: HttpRequest): SentRequest {
  const text = typeof body === 'string' ? body : latin1(body);
  return { headers: { ...headers }, query: { ...query }, body: text };
}

/** By its buffer: the SDK's bytes warn when they are treated as anything else. */
function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

type Sent = Awaited<ReturnType<Handler['handle']>>;

interface Path {
  send(): Promise<Sent>;
  readonly isS3: boolean;
  readonly options: HandlerOptions;
}

async function meet(fault: Fault, { send, isS3, options }: Path): Promise<Sent> {
  switch (fault.kind) {
    case 'pass':
      return send();
    case 'answer':
      return answer(fault.status, fault.body);
    case 'error':
      return answer(fault.status, isS3 ? errorXml(fault.code) : errorJson(fault));
    case 'no-connection':
      throw networkError('ECONNREFUSED', 'connect');
    case 'reset':
      if (fault.when === 'after') await drained(await send());
      throw networkError('ECONNRESET', 'read');
    case 'silence':
      if (fault.when === 'after') await drained(await send());
      return untilAborted(options);
  }
}

function answer(statusCode: number, body: string): Sent {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  return { response: { statusCode, headers, body: Readable.from([Buffer.from(body)]) } };
}

function errorJson({ code, members }: Extract<Fault, { kind: 'error' }>): string {
  const type = `com.amazonaws.dynamodb.v20120810#${code}`;
  return JSON.stringify({ __type: type, message: 'made up', ...members });
}

function errorXml(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>made up</Message></Error>`;
}

/** As the SDK's handler gives it: a reset is called a timeout there. */
function networkError(code: 'ECONNREFUSED' | 'ECONNRESET', syscall: string): Error {
  const error = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  if (code === 'ECONNRESET') error.name = 'TimeoutError';
  return error;
}

/** The request has had its effect once its answer is there to the end. */
async function drained({ response }: Sent): Promise<void> {
  for await (const part of response.body) void part;
}

async function untilAborted(options: HandlerOptions): Promise<never> {
  const signal = options?.abortSignal;
  if (!(signal instanceof AbortSignal)) throw new Error('a request that nothing can end');
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  throw Object.assign(new Error('Request aborted'), { name: 'AbortError' });
}
