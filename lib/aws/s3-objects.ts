/**
 * The objects on S3. A put that is sent again cannot overwrite: S3 refuses it when an earlier try got
 * through, which is as good. Failed puts and reads have no effect that anyone could see, since nothing
 * refers to an object before its put has ended.
 */
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { assert } from '../core/assert.ts';
import type { Clock } from '../ports/clock.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsCalls } from './aws-call.ts';
import { errorOf, failureOf } from './aws-error.ts';
import type { AwsMetrics } from './aws-metrics.ts';
import { createHedgedGet, rangeSizeClass, type SizeClass } from './hedged-get.ts';
import type { Objects } from './objects.ts';

export interface S3Options {
  readonly client: () => S3Client;
  readonly bucket: string;
  readonly calls: AwsCalls;
  readonly metrics: AwsMetrics;
  readonly clock: Clock;
}

const DELETE_KEYS_MAX = 1_000;

export function createS3Objects(options: S3Options): Objects {
  return {
    put: createPut(options),
    ...createReads(options),
    list: createList(options),
    deleteMany: createDeleteMany(options),
    presignedUrl: createPresignedUrl(options),
  };
}

function createPut({ client, bucket, calls }: S3Options): Objects['put'] {
  const putObject = calls.operation('s3', 'PutObject');
  return async (name, bytes) => {
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: name,
      Body: bytes,
      ContentLength: bytes.byteLength,
      IfNoneMatch: '*',
    });
    await putObject<object>({
      effect: 'none',
      refusal: (error) => (isNamed(error, 'PreconditionFailed') ? { answer: {} } : undefined),
      send: (abortSignal) => client().send(command, { abortSignal }),
    });
  };
}

function createReads({ client, bucket, calls, metrics, clock }: S3Options) {
  const getObject = calls.operation('s3', 'GetObject');
  const hedged = createHedgedGet({ clock, hedged: metrics.hedgedGets });

  function read(
    Key: string,
    sizeClass: SizeClass,
    Range?: string,
  ): Promise<Uint8Array | undefined> {
    const command = new GetObjectCommand({ Bucket: bucket, Key, Range });
    return getObject<Uint8Array | undefined>({
      effect: 'none',
      refusal: (error) => {
        if (isNamed(error, 'NoSuchKey')) return { answer: undefined };
        // The range begins at or after the object's end.
        return isNamed(error, 'InvalidRange') ? { answer: new Uint8Array() } : undefined;
      },
      send: (signal) =>
        hedged.run(sizeClass, signal, async (abortSignal) => {
          const { Body } = await client().send(command, { abortSignal });
          return await Body?.transformToByteArray();
        }),
    });
  }

  const reads: Pick<Objects, 'get' | 'getRange'> = {
    get: (name) => read(name, 'whole'),
    async getRange(name, { start, end }) {
      assert(start >= 0 && start < end, () => `bytes [${start}, ${end}) of an object`);
      const bytes = await read(name, rangeSizeClass(end - start), `bytes=${start}-${end - 1}`);
      if (bytes === undefined || bytes.byteLength === end - start) return bytes;
      throw new StoreError(`object ${name} ends before byte ${end}`, {
        kind: 'corrupt',
        sideEffects: 'none',
      });
    },
  };
  return reads;
}

function createList({ client, bucket, calls }: S3Options): Objects['list'] {
  const listObjects = calls.operation('s3', 'ListObjectsV2');
  return async ({ prefix, page }) => {
    // By the last name and not by a continuation token, which ends with the listing it belongs to.
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter: page });
    const { Contents = [], IsTruncated } = await listObjects({
      effect: 'none',
      send: (abortSignal) => client().send(command, { abortSignal }),
    });
    const names = Contents.flatMap(({ Key }) => Key ?? []);
    const next = IsTruncated ? names.at(-1) : undefined;
    return next === undefined ? { names } : { names, next };
  };
}

function createDeleteMany({ client, bucket, calls }: S3Options): Objects['deleteMany'] {
  const deleteObjects = calls.operation('s3', 'DeleteObjects');
  return async (names) => {
    for (let start = 0; start < names.length; start += DELETE_KEYS_MAX) {
      const part = names.slice(start, start + DELETE_KEYS_MAX);
      const command = new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Objects: part.map((Key) => ({ Key })), Quiet: true },
      });
      const { Errors = [] } = await deleteObjects({
        effect: 'repeatable',
        send: (abortSignal) => client().send(command, { abortSignal }),
      });
      const [first] = Errors;
      if (first === undefined) continue;
      throw new StoreError(
        `DeleteObjects failed for ${Errors.length} objects: ${first.Key}: ${first.Code}`,
        { kind: 'unavailable', sideEffects: 'possible' },
      );
    }
  };
}

function createPresignedUrl({ client, bucket }: S3Options): Objects['presignedUrl'] {
  return async (name, expiresIn) => {
    try {
      const command = new GetObjectCommand({ Bucket: bucket, Key: name });
      return await getSignedUrl(client(), command, { expiresIn });
    } catch (cause) {
      // No request is sent, but credentials are looked for.
      throw errorOf(failureOf(cause), { operation: 'presigning', sideEffects: 'none', cause });
    }
  };
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
