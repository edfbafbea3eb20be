/** What lies in the bucket of the stage, as its owner sees it. */
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { ownerOf } from './account.ts';
import { stageOfRun } from './stage.ts';

export function openBucket() {
  const { endpoint, bucket: Bucket } = stageOfRun();
  const s3 = new S3Client({ ...ownerOf(endpoint), forcePathStyle: true });
  const bucket = {
    async names(prefix = ''): Promise<readonly string[]> {
      const names: string[] = [];
      let page: string | undefined;
      do {
        const input = { Bucket, Prefix: prefix, ...(page && { ContinuationToken: page }) };
        const { Contents = [], NextContinuationToken } = await s3.send(
          new ListObjectsV2Command(input),
        );
        names.push(...Contents.flatMap(({ Key }) => Key ?? []));
        page = NextContinuationToken;
      } while (page !== undefined);
      return names;
    },
    async read(name: string): Promise<Uint8Array> {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: name }));
      if (Body === undefined) throw new Error(`${name} has no content`);
      return await Body.transformToByteArray();
    },
    /** A bucket with something in it is not removed. */
    async empty(): Promise<void> {
      const names = [...(await bucket.names())];
      while (names.length > 0) {
        const Objects = names.splice(0, 1_000).map((Key) => ({ Key }));
        await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      }
    },
  };
  return bucket;
}
