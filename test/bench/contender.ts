/** A server that takes part: what it can be asked to do, in the same words for all of them. */

/** Senders that each wait for their answer before they send again. */
export interface Lanes {
  readonly senders: readonly (() => Promise<unknown>)[];
  /** Messages that one send carries. */
  readonly messages: number;
  close(): Promise<void> | void;
}

export interface Following {
  stop(): Promise<void> | void;
}

export interface Contender {
  readonly name: string;
  /** What an acknowledgement means: only contenders that sync before it can be compared. */
  readonly durability: string;
  readonly pid: number;
  /** Of its HTTP, where it has one. */
  readonly port?: number;
  /** `lanes` messages of {@link SMALL_BYTES} in flight at any time. */
  singles(lanes: number): Promise<Lanes>;
  /** How batches can be sent and read; empty when that was left out. */
  readonly batchForms: readonly string[];
  batches(form: string, lanes: number): Promise<Lanes>;
  readonly readForms: readonly string[];
  /** Reads the first `count` messages of the batches; throws when one is missing or out of order. */
  read(form: string, count: number): Promise<void>;
  /** Every message published from now on, as often as there are followers. */
  follow(followers: number, heard: (body: string) => void): Promise<Following>;
  /** Publishes where the followers listen. */
  publisher(): Promise<{ send(body: Buffer): Promise<unknown>; close(): Promise<void> | void }>;
  end(): Promise<void>;
}

/** A contender that is not on this machine: its rows say so instead of being left out. */
export class Missing extends Error {
  override readonly name = 'Missing';
}
