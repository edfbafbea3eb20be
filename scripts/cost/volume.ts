/** What a workload comes to in a month: the quantities that all bills are made of. */
import type { Workload } from './workload.ts';

/** Of 730 hours, as providers bill it. */
export const HOURS_PER_MONTH = 730;
export const SECONDS_PER_MONTH = HOURS_PER_MONTH * 3_600;
export const GIB = 1024 ** 3;
const MS_PER_MONTH = SECONDS_PER_MONTH * 1_000;

export interface Volume {
  readonly messages: number;
  readonly publishes: number;
  readonly gibIn: number;
  readonly gibOut: number;
  /** Once everything is there that is kept. */
  readonly gibStored: number;
  /** How often readers ask for what is new, whether there is something or not. */
  readonly looks: number;
  /** Looks that find something. */
  readonly finds: number;
}

export function volumeOf(workload: Workload): Volume {
  const { messagesPerSecond, messageBytes, batch, streams, readers } = workload;
  const messages = messagesPerSecond * SECONDS_PER_MONTH;
  const publishes = messages / batch;
  const gibIn = (messages * messageBytes) / GIB;
  const looks = (readers * streams * MS_PER_MONTH) / workload.readEveryMs;
  return {
    messages,
    publishes,
    gibIn,
    gibOut: gibIn * readers,
    gibStored: (gibIn * workload.retentionMs) / MS_PER_MONTH,
    looks,
    finds: Math.min(looks, publishes * readers),
  };
}
