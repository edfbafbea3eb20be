/** The text that `npm run cost` prints. */
import { formatDuration } from '../../lib/core/log/duration.ts';
import type { Bill } from './bill.ts';
import { formatQuantity, formatUsd } from './format-number.ts';
import { peerBills } from './peer-bills.ts';
import { shortcomings } from './shortcomings.ts';
import { varveBill } from './varve-bill.ts';
import { volumeOf } from './volume.ts';
import type { Workload } from './workload.ts';

const WIDTH = 96;
/** Less than this is not worth a line. */
const SHOWN_USD_MIN = 0.0005;

export function costReport(workload: Workload): string {
  const own = varveBill(workload);
  const peers = peerBills(workload);
  return [
    heading(workload),
    '',
    summary(own, workload),
    ...own.lines
      .filter(({ usd }) => usd >= SHOWN_USD_MIN)
      .map(({ what, quantity, usd }) => {
        return `    ${what.padEnd(24)} ${formatQuantity(quantity).padStart(16)} ${formatUsd(usd).padStart(12)}`;
      }),
    `    ${sourceOf(own)}`,
    '',
    ...peers.flatMap((bill) => [summary(bill, workload), `    ${sourceOf(bill)}`]),
    '',
    'Where Varve loses',
    ...shortcomings(workload, own, peers).map((text) => wrapped(text)),
    '',
  ].join('\n');
}

function heading(workload: Workload): string {
  const { messagesPerSecond, messageBytes, batch, streams, readers, publishers } = workload;
  const every = formatDuration(workload.readEveryMs);
  const kept = formatDuration(workload.retentionMs);
  return wrapped(
    `A month of ${messagesPerSecond} messages/s of ${messageBytes} bytes, ${batch} a publish: ` +
      `${formatQuantity(volumeOf(workload).gibIn)} GiB, kept ${kept}. Streams: ${streams}. On each of them ` +
      `readers: ${readers}, which look every ${every}; named publishers: ${publishers}. ` +
      `Functions of ${workload.memoryMb} MB.`,
    '',
  );
}

function summary({ name, usd }: Bill, workload: Workload): string {
  const { gibIn, messages } = volumeOf(workload);
  const perGib = `${formatUsd(usd / gibIn)} a GiB`;
  const perMillion = `${formatUsd((usd / messages) * 1e6)} a million messages`;
  return `${name.padEnd(44)} ${formatUsd(usd).padStart(12)}   ${perGib}, ${perMillion}`;
}

function sourceOf({ source, note }: Bill): string {
  const from = `${source.where}, ${source.asOf}`;
  return note === undefined ? from : `${from}; ${note}`;
}

/** A paragraph with a mark before its first line. */
function wrapped(text: string, mark = '- '): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return mark + [...lines, line].join(`\n${' '.repeat(mark.length)}`);
}
