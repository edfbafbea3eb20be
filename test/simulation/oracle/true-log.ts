/**
 * What was really stored in one incarnation, in its order: written down at the moment each commit took
 * effect, and never changed. Everything else that is stored or answered must agree with it.
 */
import type { PublisherName } from '../../../lib/core/log/ids.ts';
import type { TailRef } from '../../../lib/format/tail-ref.ts';
import type { MessageId } from './message-body.ts';

export interface LoggedMessage extends MessageId {
  readonly offset: number;
  /** Where the chunk begins that it is in. */
  readonly chunk: number;
  readonly timeMs: number;
}

export interface LoggedCommit extends TailRef {
  /** [base, end) */
  readonly base: number;
  readonly end: number;
  readonly timeBelowMs: number;
  /** Timestamp of its last message. */
  readonly lastTimeMs: number;
  /** Offset of its last request. */
  readonly lastChunk: number;
}

export interface LoggedPublisher {
  highestId: number;
  epoch: number | undefined;
  /** Where each of its ids is. */
  readonly offsets: Map<number, number>;
}

export interface LoggedValue {
  readonly value: string;
  /** The cache was once too small for it: whether it is remembered is up to the store (SPEC M5). */
  wasPushedOut: boolean;
}

export class TrueLog {
  readonly commits: LoggedCommit[] = [];
  /** By their offsets. */
  readonly messages: LoggedMessage[] = [];
  readonly publishers = new Map<PublisherName, LoggedPublisher>();
  /** By which messages were deduplicated: the one numbered 1 first. */
  readonly values: LoggedValue[] = [];

  get next(): number {
    return this.messages.length;
  }

  get timeMs(): number {
    return this.messages.at(-1)?.timeMs ?? 0;
  }

  get bytes(): number {
    return this.commits.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Index in `commits` of the one that begins at this offset, or -1. */
  commitAt(base: number): number {
    return this.commits.findIndex((commit) => commit.base === base);
  }

  /** The commits of the segment that a commit would belong to now. */
  activeSegment(): readonly LoggedCommit[] {
    const opening = this.commits.findLastIndex(({ opensSegment }) => opensSegment);
    return opening < 0 ? [] : this.commits.slice(opening);
  }

  publisher(name: PublisherName): LoggedPublisher {
    const known = this.publishers.get(name);
    if (known !== undefined) return known;
    const created = { highestId: -1, epoch: undefined, offsets: new Map<number, number>() };
    this.publishers.set(name, created);
    return created;
  }
}
