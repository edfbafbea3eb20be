/** Where Varve loses, in words: who is cheaper for this workload, and what no bill shows. */
import type { Bill } from './bill.ts';
import { formatUsd } from './format-number.ts';
import { kinesisOnDemand } from './peer-bills.ts';
import { STORE_LATENCY } from './store-latency.ts';
import { varveBill } from './varve-bill.ts';
import { SECONDS_PER_MONTH, volumeOf } from './volume.ts';
import type { Workload } from './workload.ts';

/** Of one item: what a partition of DynamoDB takes. */
const WRITE_UNITS_PER_SECOND = 1_000;
const BATCHES_WORTH_NAMING = [10, 100, 1_000];

export function shortcomings(
  workload: Workload,
  own: Bill,
  peers: readonly Bill[],
): readonly string[] {
  return [
    ...cheaperPeers(own, peers),
    ...batching(workload, own),
    ...singleMessages(workload),
    latency(),
    ...tooFast(workload),
    'A reader that waits on a function is paid for by the second: many or constant followers belong on the server form.',
    'Not in the bill: pages of history (at most two GETs each once packed), transfer out of the region, logs, and what is not published here.',
  ];
}

function cheaperPeers(own: Bill, peers: readonly Bill[]): readonly string[] {
  const cheaper = peers.filter(({ usd }) => usd < own.usd);
  if (cheaper.length === 0) return ['For this workload none of the others is cheaper.'];
  const names = cheaper.map(({ name, usd, note }) => {
    return `${name} (${formatUsd(usd)}${note === undefined ? '' : `: ${note}`})`;
  });
  return [`Cheaper for this workload: ${names.join('; ')}.`];
}

/** What larger publishes would save. */
function batching(workload: Workload, own: Bill): readonly string[] {
  if (workload.batch > 1) return [];
  const larger = BATCHES_WORTH_NAMING.map((batch) => {
    return `${batch} a publish ${formatUsd(varveBill({ ...workload, batch }).usd)}`;
  });
  return [
    `Each publish pays for a PUT, whatever it holds. In batches the same messages cost: ${larger.join(', ')}, instead of ${formatUsd(own.usd)}. The server form does this for publishers that send at the same time (--linger).`,
  ];
}

/** From how many publishes of one message on Kinesis is cheaper, on a stream of its own. */
function singleMessages(workload: Workload): readonly string[] {
  const publishes = kinesisBreakEven(workload);
  if (publishes === undefined) return [];
  const millions = (publishes / 1e6).toFixed(1);
  return [
    `With one message a publish, Kinesis on demand is cheaper from ${millions} million messages a stream and month on.`,
  ];
}

/** Undefined when it never is. Of the costs that grow with the messages: what time costs is left out. */
export function kinesisBreakEven(workload: Workload): number | undefined {
  const single = { ...workload, batch: 1, streams: 1 };
  const many = { ...single, messagesPerSecond: 1e6 };
  const perMessage = (bill: (of: Workload) => Bill) => {
    const least = { ...single, messagesPerSecond: 1 };
    const more = volumeOf(many).messages - volumeOf(least).messages;
    return (bill(many).usd - bill(least).usd) / more;
  };
  const [own, theirs] = [perMessage(varveBill), perMessage(kinesisOnDemand)];
  const idle = { ...single, messagesPerSecond: 1 / SECONDS_PER_MONTH };
  const ahead = kinesisOnDemand(idle).usd - varveBill(idle).usd;
  return own > theirs && ahead > 0 ? ahead / (own - theirs) : undefined;
}

function latency(): string {
  const { s3Put, dynamodbWrite, s3Get, dynamodbRead } = STORE_LATENCY;
  const publish = s3Put.medianMs + dynamodbWrite.medianMs;
  const read = s3Get.medianMs + dynamodbRead.medianMs;
  return `An acknowledgement waits for S3: ${publish} ms in the middle, one in a hundred more than ${s3Put.p99Ms} ms; a reader at the tail waits another ${read} ms. Kinesis and SQS take tens of ms.`;
}

function tooFast(workload: Workload): readonly string[] {
  const perStream = workload.messagesPerSecond / workload.batch / workload.streams;
  if (perStream <= WRITE_UNITS_PER_SECOND) return [];
  return [
    `${Math.round(perStream).toLocaleString('en')} publishes a second on one stream are more than DynamoDB takes for one item (${WRITE_UNITS_PER_SECOND.toLocaleString('en')}): larger batches, or more streams.`,
  ];
}
