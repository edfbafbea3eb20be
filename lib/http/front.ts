/**
 * What lies between a client and this process where that is no socket of our own, and what it asks of an
 * answer. Without one an answer may be as long as it likes, and go on for as long.
 */
export interface Front {
  /** It has found out who calls, so any host and origin is served (SPEC A6). */
  readonly vouches: boolean;
  /** Waiting is paid for behind some fronts: a longer wait ends after this (SPEC LR1). */
  readonly waitMsMax: number;
  /** A body that goes on ends after this by itself (SPEC LR3). */
  readonly followMsMax: number;
  /** Set where an answer is handed over as a whole: the most that its body may have (SPEC LR4). */
  readonly answerBytesMax?: number;
}
