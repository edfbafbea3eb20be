/** What is asked of S3, and what its errors become, without a service. */
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  type Fault,
  INTERNAL_ERROR,
  LOST_ANSWER,
  NO_CONNECTION,
  PUT_CONFLICT,
  RESET,
  SILENCE,
  SLOW_DOWN,
} from '../support/aws-faults.ts';
import { settle } from '../support/manual-clock.ts';
import { createOfflineAws } from '../support/offline-aws.ts';

const BYTES = new Uint8Array([1, 2, 3]);
const EXISTS: Fault = { kind: 'error', status: 412, code: 'PreconditionFailed' };
const NOT_THERE: Fault = { kind: 'error', status: 404, code: 'NoSuchKey' };
const PAST_THE_END: Fault = { kind: 'error', status: 416, code: 'InvalidRange' };
const DENIED: Fault = { kind: 'error', status: 403, code: 'AccessDenied' };

function times(count: number, fault: Fault): Fault[] {
  return Array.from({ length: count }, () => fault);
}

function xml(body: string): Fault {
  return { kind: 'answer', status: 200, body: `<?xml version="1.0"?>${body}` };
}

async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  return await answer.catch(({ name, kind, sideEffects }) =>
    name === 'StoreError' ? `${kind} ${sideEffects}` : name,
  );
}

test('a put is conditional and carries its length and a checksum', async () => {
  const { objects, faults } = createOfflineAws();
  await objects.put('ab/1/c/x', BYTES);

  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(BYTES));
  const [request] = faults.requests('PutObject');
  expect(request?.headers).toMatchObject({
    'if-none-match': '*',
    'content-length': '3',
    'x-amz-checksum-crc32': checksum.toString('base64'),
  });
  expect(request?.body).toBe('\x01\x02\x03');
});

test('a large put goes out on a kept connection, without asking first', async () => {
  const { objects, faults } = createOfflineAws();
  await objects.put('ab/1/s/x', new Uint8Array(8 * 1_024 * 1_024));

  const [request] = faults.requests('PutObject');
  expect(request?.headers).toMatchObject({ 'content-length': '8388608' });
  expect(Object.keys(request?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain(
    'expect',
  );
});

interface Case {
  readonly met: string;
  readonly faults: readonly Fault[];
  readonly outcome: string | undefined;
  readonly sent: number;
}

test.each<Case>([
  { met: 'nothing', faults: [], outcome: undefined, sent: 1 },
  { met: 'itself, stored before', faults: [LOST_ANSWER, EXISTS], outcome: undefined, sent: 2 },
  { met: 'itself under way', faults: [RESET, PUT_CONFLICT], outcome: undefined, sent: 3 },
  { met: 'a busy service', faults: [SLOW_DOWN, SLOW_DOWN], outcome: undefined, sent: 3 },
  { met: 'faults', faults: [INTERNAL_ERROR, RESET, NO_CONNECTION], outcome: undefined, sent: 4 },
  { met: 'faults that stay', faults: times(4, LOST_ANSWER), outcome: 'unavailable none', sent: 4 },
  {
    met: 'a busy service for long',
    faults: times(4, SLOW_DOWN),
    outcome: 'unavailable none',
    sent: 4,
  },
  {
    met: 'a conflict that stays',
    faults: times(8, PUT_CONFLICT),
    outcome: 'unavailable none',
    sent: 8,
  },
  { met: 'a denial', faults: [DENIED], outcome: 'unavailable none', sent: 1 },
])('a put meets $met', async ({ faults, outcome, sent }) => {
  const { objects, faults: network } = createOfflineAws();
  network.next('PutObject', ...faults);

  expect(await outcomeOf(objects.put('a', BYTES))).toBe(outcome);
  expect(network.requests('PutObject')).toHaveLength(sent);
});

test('an object that is not there is no error', async () => {
  const { objects, faults } = createOfflineAws();
  faults.next('GetObject', NOT_THERE, RESET, NOT_THERE);

  expect(await objects.get('a')).toBeUndefined();
  expect(await objects.getRange('a', { start: 0, end: 3 })).toBeUndefined();
  expect(faults.requests('GetObject')).toHaveLength(3);
});

test('a range is half-open', async () => {
  const { objects, faults } = createOfflineAws();
  faults.next('GetObject', { kind: 'answer', status: 206, body: 'abc' });

  expect(await objects.getRange('a', { start: 4, end: 7 })).toEqual(
    new Uint8Array(Buffer.from('abc')),
  );
  expect(faults.requests('GetObject')[0]?.headers).toMatchObject({ range: 'bytes=4-6' });
});

test.each([
  ['inside', { kind: 'answer', status: 206, body: 'ab' } as const],
  ['before', PAST_THE_END],
])('an object that ends %s the range is damaged', async (_where, fault) => {
  const { objects, faults } = createOfflineAws();
  faults.next('GetObject', fault);

  expect(await outcomeOf(objects.getRange('a', { start: 4, end: 7 }))).toBe('corrupt none');
});

test('a GET that is slow is sent twice, and the first answer counts', async () => {
  const { objects, faults, clock, metrics } = createOfflineAws();
  faults.next('GetObject', SILENCE, { kind: 'answer', status: 200, body: 'abc' });
  const bytes = objects.get('a');
  await settle();
  await clock.advance(500);

  expect(await bytes).toEqual(new Uint8Array(Buffer.from('abc')));
  expect(clock.waiting()).toBe(0);
  expect(metrics('varve_aws_hedged_gets_total')).toEqual(['varve_aws_hedged_gets_total 1']);
  expect(metrics('varve_aws_requests_total')).toEqual([
    'varve_aws_requests_total{service="s3",operation="GetObject",outcome="done"} 1',
  ]);
});

test('a list goes on after its last name', async () => {
  const { objects, faults } = createOfflineAws();
  const contents = '<Contents><Key>p/a</Key></Contents><Contents><Key>p/b</Key></Contents>';
  faults.next(
    'ListObjectsV2',
    xml(`<ListBucketResult><IsTruncated>true</IsTruncated>${contents}</ListBucketResult>`),
    xml('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'),
  );

  expect(await objects.list({ prefix: 'p/' })).toEqual({ names: ['p/a', 'p/b'], next: 'p/b' });
  expect(await objects.list({ prefix: 'p/', page: 'p/b' })).toEqual({ names: [] });
  expect(faults.requests('ListObjectsV2').map(({ query }) => query)).toEqual([
    { 'list-type': '2', prefix: 'p/' },
    { 'list-type': '2', prefix: 'p/', 'start-after': 'p/b' },
  ]);
});

test('deletions go out by a thousand, sent again until they are answered', async () => {
  const { objects, faults } = createOfflineAws();
  const deleted = xml('<DeleteResult></DeleteResult>');
  faults.next('DeleteObjects', LOST_ANSWER, deleted, deleted);
  await objects.deleteMany(Array.from({ length: 1_001 }, (_, n) => `n${n}`));

  const counts = faults.requests('DeleteObjects').map(({ body }) => body.split('<Key>').length - 1);
  expect(counts).toEqual([1_000, 1_000, 1]);
});

test('an object that could not be deleted is an error that names it', async () => {
  const { objects, faults } = createOfflineAws();
  const error = '<Error><Key>b</Key><Code>InternalError</Code><Message>made up</Message></Error>';
  faults.next('DeleteObjects', xml(`<DeleteResult>${error}</DeleteResult>`));

  await expect(objects.deleteMany(['a', 'b'])).rejects.toMatchObject({
    message: 'DeleteObjects failed for 1 objects: b: InternalError',
    kind: 'unavailable',
    sideEffects: 'possible',
  });
});

test('a presigned URL needs no request', async () => {
  const { objects, faults } = createOfflineAws();
  const url = new URL(await objects.presignedUrl('ab/x', 300));

  expect(`${url.origin}${url.pathname}`).toBe('http://offline.test/bucket/ab/x');
  expect(url.searchParams.get('X-Amz-Expires')).toBe('300');
  expect(faults.requests('GetObject')).toEqual([]);
});

test('a URL without credentials to sign it is not available', async () => {
  const credentials = async () => {
    throw Object.assign(new Error('made up'), { name: 'CredentialsProviderError' });
  };
  const { objects } = createOfflineAws({ credentials });

  expect(await outcomeOf(objects.presignedUrl('ab/x', 300))).toBe('unavailable none');
});
