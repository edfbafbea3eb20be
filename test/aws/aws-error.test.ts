/** What errors of the services and of the network mean. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { AttemptTimeout, errorOf, failureOf } from '../../lib/aws/aws-error.ts';
import { StoreError } from '../../lib/ports/store-error.ts';

function serviceError(name: string, httpStatusCode: number, more: object = {}): Error {
  const $metadata = { httpStatusCode, ...more };
  const $fault = httpStatusCode < 500 ? 'client' : 'server';
  return new S3ServiceException({ name, $fault, $metadata, message: 'text of the SDK' });
}

function networkError(name: string, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), { name }, more);
}

function canceled(...codes: readonly string[]): TransactionCanceledException {
  return new TransactionCanceledException({
    $metadata: { httpStatusCode: 400 },
    message: 'text of the SDK',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

const NO_CONNECTION = 'the request socket did not establish a connection with the server';

test.each<[string, Error, string]>([
  // error → outcome, kind, effect, again
  [
    'ThrottlingException',
    serviceError('ThrottlingException', 400),
    'throttled unavailable none later',
  ],
  [
    'RequestLimitExceeded',
    serviceError('RequestLimitExceeded', 400),
    'throttled unavailable none later',
  ],
  ['SlowDown', serviceError('SlowDown', 503), 'throttled unavailable none later'],
  ['429', serviceError('SomethingNew', 429), 'throttled unavailable none later'],
  [
    'TransactionConflictException',
    serviceError('TransactionConflictException', 400),
    'conflict unavailable none soon',
  ],
  [
    'ConditionalRequestConflict',
    serviceError('ConditionalRequestConflict', 409),
    'conflict unavailable none soon',
  ],
  [
    'TransactionInProgressException',
    serviceError('TransactionInProgressException', 400),
    'conflict unavailable unknown later',
  ],
  [
    'InternalServerError',
    serviceError('InternalServerError', 500),
    'failed unavailable unknown later',
  ],
  [
    'ServiceUnavailable',
    serviceError('ServiceUnavailable', 503),
    'failed unavailable unknown later',
  ],
  ['RequestTimeout', serviceError('RequestTimeout', 400), 'timeout timeout unknown later'],
  ['AccessDenied', serviceError('AccessDenied', 403), 'failed unavailable none no'],
  ['NoSuchBucket', serviceError('NoSuchBucket', 404), 'failed unavailable none no'],
  [
    'ResourceNotFoundException',
    serviceError('ResourceNotFoundException', 400),
    'failed unavailable none no',
  ],
  [
    'a wrong clock',
    serviceError('RequestTimeTooSkewed', 403, { clockSkewCorrected: true }),
    'failed unavailable none later',
  ],
  ['ValidationException', serviceError('ValidationException', 400), 'failed fault none no'],
  [
    'IdempotentParameterMismatchException',
    serviceError('IdempotentParameterMismatchException', 400),
    'failed fault none no',
  ],
  ['no credentials', networkError('CredentialsProviderError', ''), 'failed unavailable none no'],
  [
    'refused',
    networkError('Error', '', { code: 'ECONNREFUSED', syscall: 'connect' }),
    'failed unavailable none later',
  ],
  [
    'refused on all addresses',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'failed unavailable none later',
  ],
  [
    'unreachable',
    networkError('Error', '', { code: 'EHOSTUNREACH', syscall: 'connect' }),
    'failed unavailable none later',
  ],
  [
    'unknown host',
    networkError('Error', '', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
    'failed unavailable none later',
  ],
  [
    'no connection in time',
    networkError('TimeoutError', NO_CONNECTION),
    'failed unavailable none later',
  ],
  [
    'reset',
    networkError('TimeoutError', '', { code: 'ECONNRESET', syscall: 'read' }),
    'failed unavailable unknown later',
  ],
  [
    'broken pipe',
    networkError('TimeoutError', '', { code: 'EPIPE', syscall: 'write' }),
    'failed unavailable unknown later',
  ],
  ['no answer in time', new AttemptTimeout(), 'timeout timeout unknown later'],
  ['something else', new SyntaxError('unexpected token'), 'failed unavailable unknown later'],
])('%s', (_name, error, meaning) => {
  const { outcome, kind, effect, again } = failureOf(error);

  expect([outcome, kind, effect, again].join(' ')).toBe(meaning);
});

test.each([
  [['None', 'TransactionConflict'], 'conflict unavailable soon'],
  [['ThrottlingError', 'TransactionConflict'], 'throttled unavailable later'],
  [['ProvisionedThroughputExceeded', 'None'], 'throttled unavailable later'],
  [['TransactionConflict', 'ValidationError'], 'failed fault no'],
  [['ItemCollectionSizeLimitExceeded'], 'failed fault no'],
  [['SomethingNew', 'ThrottlingError'], 'failed unavailable no'],
  [[], 'conflict unavailable soon'],
])('a transaction canceled by %j wrote nothing: %s', (codes, meaning) => {
  const { outcome, kind, effect, again } = failureOf(canceled(...codes));

  expect(`${outcome} ${kind} ${again}`).toBe(meaning);
  expect(effect).toBe('none');
});

test('an error names the operation and the code alone, and keeps its cause', () => {
  const cause = serviceError('SlowDown', 503);
  const error = errorOf(failureOf(cause), { operation: 'PutObject', sideEffects: 'none', cause });

  expect(error).toEqual(
    new StoreError('PutObject failed: SlowDown', {
      kind: 'unavailable',
      sideEffects: 'none',
      cause,
    }),
  );
  expect(error.cause).toBe(cause);
});

test('a fault of this program is no StoreError', () => {
  const cause = serviceError('ValidationException', 400);
  const error = errorOf(failureOf(cause), { operation: 'Query', sideEffects: 'none', cause });

  expect(error).not.toBeInstanceOf(StoreError);
  expect(error.message).toBe('Query failed: ValidationException');
});
