/** The same workload elsewhere, at published prices, without what only measuring could tell. Calculation only. */
import { type Bill, billOf, line } from './bill.ts';
import {
  CLOUDFLARE_K2,
  KINESIS_ON_DEMAND,
  KINESIS_PROVISIONED,
  MSK_SERVERLESS,
  S2,
  SNS_AND_SQS,
  WARPSTREAM,
} from './prices.ts';
import { GIB, HOURS_PER_MONTH, volumeOf } from './volume.ts';
import type { Workload } from './workload.ts';

export function peerBills(workload: Workload): readonly Bill[] {
  return [
    kinesisOnDemand,
    kinesisProvisioned,
    mskServerless,
    snsAndSqs,
    s2,
    cloudflareK2,
    warpstream,
  ].map((bill) => bill(workload));
}

export function kinesisOnDemand(workload: Workload): Bill {
  const { messages, gibOut } = volumeOf(workload);
  const { source, streamHour, gibIn, gibOut: out, recordStepBytes } = KINESIS_ON_DEMAND;
  const charged = steps(workload.messageBytes, recordStepBytes) * recordStepBytes;
  return billOf({
    name: 'Kinesis, on demand',
    source,
    lines: [
      line('stream-hours', workload.streams * HOURS_PER_MONTH, streamHour),
      line('GiB in', (messages * charged) / GIB, gibIn),
      line('GiB out', gibOut, out),
    ],
    note: 'each message a record, kept a day: longer costs more there',
  });
}

function kinesisProvisioned(workload: Workload): Bill {
  const { messages } = volumeOf(workload);
  const { source, shardHour, putUnit, putUnitBytes, ...shard } = KINESIS_PROVISIONED;
  const records = workload.messagesPerSecond / workload.streams;
  const bytes = records * workload.messageBytes;
  const shards = Math.max(
    1,
    Math.ceil(bytes / shard.shardBytesIn),
    Math.ceil(records / shard.shardRecordsIn),
    Math.ceil((bytes * workload.readers) / shard.shardBytesOut),
  );
  return billOf({
    name: 'Kinesis, provisioned',
    source,
    lines: [
      line('shard-hours', workload.streams * shards * HOURS_PER_MONTH, shardHour),
      line('put units', messages * steps(workload.messageBytes, putUnitBytes), putUnit),
    ],
    note: 'no room for peaks; each message a record, kept a day',
  });
}

function mskServerless(workload: Workload): Bill {
  const { gibIn, gibOut, gibStored } = volumeOf(workload);
  const price = MSK_SERVERLESS;
  return billOf({
    name: 'MSK Serverless',
    source: price.source,
    lines: [
      line('cluster-hours', HOURS_PER_MONTH, price.clusterHour),
      line('partition-hours', workload.streams * HOURS_PER_MONTH, price.partitionHour),
      line('GiB in', gibIn, price.gibIn),
      line('GiB out', gibOut, price.gibOut),
      line('GiB-months', gibStored, price.gibMonth),
    ],
    note: 'a partition for each stream',
  });
}

function snsAndSqs({ batch, readers, ...workload }: Workload): Bill {
  const { messages } = volumeOf({ batch, readers, ...workload });
  const price = SNS_AND_SQS;
  const together = Math.min(batch, price.messagesPerRequest);
  const requests =
    (messages / together) * steps(together * workload.messageBytes, price.requestStepBytes);
  return billOf({
    name: 'SNS with a queue of SQS for each reader',
    source: price.source,
    lines: [
      line('publishes', requests, price.snsPublish),
      // A receive with the data, and a delete without.
      line('receives', requests * readers, price.sqsRequest),
      line('deletes', (messages / together) * readers, price.sqsRequest),
    ],
    note: 'no log: what was read is gone; receives that find nothing are not counted',
  });
}

function s2(workload: Workload): Bill {
  const { gibIn, gibOut, gibStored, publishes, finds } = volumeOf(workload);
  return billOf({
    name: 'S2',
    source: S2.source,
    lines: [
      line('appends', publishes, S2.append),
      line('reads', finds, S2.read),
      line('GiB in', gibIn, S2.gibIn),
      line('GiB out', gibOut, S2.gibOut),
      line('GiB-months', gibStored, S2.gibMonth),
    ],
    note: 'read over the internet; approximate prices',
  });
}

function cloudflareK2(workload: Workload): Bill {
  const { gibIn, gibOut, gibStored } = volumeOf(workload);
  return billOf({
    name: 'Cloudflare K2',
    source: CLOUDFLARE_K2.source,
    lines: [
      line('GiB in', gibIn, CLOUDFLARE_K2.gibIn),
      line('GiB out', gibOut, CLOUDFLARE_K2.gibOut),
      line('GiB-months', gibStored, CLOUDFLARE_K2.gibMonth),
    ],
    note: 'in beta',
  });
}

function warpstream(workload: Workload): Bill {
  const { gibIn, gibStored } = volumeOf(workload);
  return billOf({
    name: 'WarpStream',
    source: WARPSTREAM.source,
    lines: [
      line('smallest tier', 1, WARPSTREAM.smallestTier),
      line('GiB in', gibIn, WARPSTREAM.gibIn),
      line('GiB-months', gibStored, WARPSTREAM.gibMonth),
    ],
    note: 'plus your own machines and S3; larger tiers $500 and $1500',
  });
}

function steps(bytes: number, stepBytes: number): number {
  return Math.max(1, Math.ceil(bytes / stepBytes));
}
