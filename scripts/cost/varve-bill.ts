/**
 * The bill of Varve on S3, DynamoDB and Lambda: how often each operation happens in a month, times what the
 * operation is charged (operation-units.ts). Calculation only.
 */
import { PACKING_LIMITS } from '../../lib/aws/pack-segment.ts';
import { SEGMENT_BYTES_DEFAULT } from '../../lib/core/log/limits.ts';
import { type Bill, billOf, line } from './bill.ts';
import {
  OPERATION_UNITS,
  PUBLISHERS_IN_TAIL_MAX,
  PUBLISHERS_PER_EVICTION,
  PUBLISHERS_REMEMBERED,
  PUBLISHES_PER_SPILL,
  publishWriteUnits,
  sumUnits,
  type Units,
} from './operation-units.ts';
import { AWS_PRICES } from './prices.ts';
import { meanMs, STORE_LATENCY } from './store-latency.ts';
import { GIB, HOURS_PER_MONTH, SECONDS_PER_MONTH, type Volume, volumeOf } from './volume.ts';
import type { Workload } from './workload.ts';

/** By default a segment ends after a day, however little it holds. */
const SEGMENTS_PER_MONTH_MIN = HOURS_PER_MONTH / 24;
/** Of 16 refs, with its key: what the layout of the table comes to. */
const INDEX_ITEM_BYTES = 414;
/** Two functions look each minute for what is due. */
const SCHEDULED_RUNS = 2 * (SECONDS_PER_MONTH / 60);
/** The one that keeps the store up reads for 20 ms with 1 GiB; the other ends at once. */
const SCHEDULED_GIB_SECONDS = 0.02;
/** Of processor time, beside waiting for the stores; a MiB more is parsed, compressed and sent. */
const COMPUTING_MS = 5;
const COMPUTING_MS_PER_MIB = 20;
/** Fetched at the same time. */
const GETS_AT_ONCE = 16;
/** What is dropped before its chunks could be removed is not packed. */
const PACKED_RETENTION_MS_MIN = 3_600_000;
/** Read ahead by a packer, whose function has 1 GiB. */
const PACKED_AT_ONCE = 32;

export function varveBill(workload: Workload): Bill {
  const volume = volumeOf(workload);
  const { puts, gets, writeUnits, readUnits } = monthlyUnits(workload, volume);
  const requests = volume.publishes + volume.looks + SCHEDULED_RUNS;
  const indexGib =
    ((volume.gibStored / volume.gibIn) * indexItems(volume) * INDEX_ITEM_BYTES) / GIB;
  return billOf({
    name: 'Varve on S3, DynamoDB and Lambda',
    source: AWS_PRICES.source,
    lines: [
      line('S3 PUT', puts, AWS_PRICES.s3Put),
      line('S3 GET', gets, AWS_PRICES.s3Get),
      line('S3 GiB-months', volume.gibStored, AWS_PRICES.s3GibMonth),
      line('DynamoDB write units', writeUnits, AWS_PRICES.writeUnit),
      line('DynamoDB read units', readUnits, AWS_PRICES.readUnit),
      line('DynamoDB GiB-months', indexGib, AWS_PRICES.tableGibMonth),
      line('Lambda requests', requests, AWS_PRICES.lambdaRequest),
      line('Lambda GiB-seconds', gibSeconds(workload, volume), AWS_PRICES.lambdaGibSecond),
    ],
  });
}

/** Of the store, without what readers of the past cost. */
export function monthlyUnits(workload: Workload, volume: Volume): Units {
  const { publishes, looks } = volume;
  const { spill, sealSegment, removeIndexItem, removeSegment } = OPERATION_UNITS;
  const segments = segmentsPerMonth(workload, volume);
  return sumUnits([
    [publishUnits(workload), publishes],
    [spill, publishes / PUBLISHES_PER_SPILL + segments],
    [sealSegment, segments],
    [removeIndexItem, indexItems(volume) + segments],
    [removeSegment, segments],
    [keepingUnits(workload, volume), segments],
    [OPERATION_UNITS.tailRead, looks],
    [OPERATION_UNITS.newChunk, publishes * workload.readers],
    [OPERATION_UNITS.upkeepPass, SCHEDULED_RUNS / 2],
    [OPERATION_UNITS.lookForDue, SCHEDULED_RUNS / 2],
  ]);
}

/** At most, of a segment: it is looked at when it has ended, packed, and dropped at its age. */
function keepingUnits(workload: Workload, volume: Volume): Units {
  const { keepSegments, packSegment, packPiece, newChunk } = OPERATION_UNITS;
  const { dropSegment, removalPass, auditSample } = OPERATION_UNITS;
  const segments = segmentsPerMonth(workload, volume);
  const packs = isPacked(workload) ? 1 : 0;
  const passes = Math.min(1, (workload.streams * HOURS_PER_MONTH) / segments);
  const publishes = volume.publishes / segments;
  const pieces = Math.ceil(bytesOf(volume, segments) / PACKING_LIMITS.pieceBytes);
  return sumUnits([
    [keepSegments, 2],
    [packSegment, packs],
    [packPiece, packs * Math.max(pieces, publishes / PACKING_LIMITS.pieceObjectsMax)],
    [newChunk, packs * publishes],
    [dropSegment, 1],
    [removalPass, passes * (1 + packs)],
    [auditSample, (passes * (1 + packs)) / 4],
  ]);
}

function isPacked({ retentionMs }: Workload): boolean {
  return retentionMs > PACKED_RETENTION_MS_MIN;
}

function bytesOf({ gibIn }: Volume, segments: number): number {
  return (gibIn * GIB) / segments;
}

/** At most: of more publishers than the tail holds, each publish is taken to be by one that left it. */
function publishUnits({ publishers }: Workload): Units {
  const inTail = Math.min(publishers, PUBLISHERS_IN_TAIL_MAX);
  const publish = { ...OPERATION_UNITS.publish, writeUnits: publishWriteUnits(inTail) };
  if (publishers <= PUBLISHERS_IN_TAIL_MAX) return publish;
  return sumUnits([
    [publish, 1],
    [OPERATION_UNITS.evictPublishers, 1 / PUBLISHERS_PER_EVICTION],
    [OPERATION_UNITS.returnOfPublisher, 1],
    // Who is forgotten is new when it comes back.
    [OPERATION_UNITS.firstOfPublisher, publishers > PUBLISHERS_REMEMBERED ? 1 : 0],
  ]);
}

function segmentsPerMonth({ streams }: Workload, { gibIn, publishes }: Volume): number {
  const bySize = (gibIn * GIB) / SEGMENT_BYTES_DEFAULT;
  return Math.min(publishes, Math.max(bySize, streams * SEGMENTS_PER_MONTH_MIN));
}

function indexItems({ publishes }: Volume): number {
  return publishes / PUBLISHES_PER_SPILL;
}

/** Functions are paid for while they wait: by mean latencies, as the slow ones are paid for too. */
function gibSeconds(workload: Workload, volume: Volume): number {
  const { publishes, looks, finds } = volume;
  const mib = (workload.batch * workload.messageBytes) / 1024 ** 2;
  const publishMs =
    meanMs(STORE_LATENCY.s3Put) +
    meanMs(STORE_LATENCY.dynamodbWrite) +
    COMPUTING_MS +
    mib * COMPUTING_MS_PER_MIB;
  const lookMs = meanMs(STORE_LATENCY.dynamodbRead) + COMPUTING_MS;
  const chunksPerFind = finds === 0 ? 0 : (publishes * workload.readers) / finds;
  const findMs =
    Math.ceil(chunksPerFind / GETS_AT_ONCE) * meanMs(STORE_LATENCY.s3Get) +
    chunksPerFind * mib * COMPUTING_MS_PER_MIB;
  const seconds = (publishes * publishMs + looks * lookMs + finds * findMs) / 1_000;
  const packMs = meanMs(STORE_LATENCY.s3Get) / PACKED_AT_ONCE + mib * COMPUTING_MS_PER_MIB;
  const packingSeconds = isPacked(workload) ? (publishes * packMs) / 1_000 : 0;
  return (
    seconds * (workload.memoryMb / 1_024) +
    (SCHEDULED_RUNS / 2) * SCHEDULED_GIB_SECONDS +
    packingSeconds
  );
}
