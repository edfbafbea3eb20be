/** How often things go wrong, in percent: of the calls of a process, or of its steps. */

export interface Faults {
  /** Of calls: certainly not done, and the caller is told so. */
  readonly unavailable: number;
  /** Of calls: never arrived; the caller sees a timeout. */
  readonly lostRequest: number;
  /** Of calls: done; the caller sees a timeout. */
  readonly lostAnswer: number;
  /** Of writes: the caller sees a timeout, and they are done at any time later. */
  readonly late: number;
  /** Of harmless writes: done twice, one right after the other. */
  readonly repeated: number;
  /** Of harmless writes: answered, and done once more at any time later. */
  readonly lateTwin: number;
  /** Of queries and lists: a page ends early although more would fit. */
  readonly shortPage: number;
  /** Of steps: the process is no more. */
  readonly crash: number;
  /** Of steps: the process stands still, for up to hours. */
  readonly stall: number;
  /** Of readings of the wall clock: it has been set, forwards or backwards. */
  readonly clockStep: number;
}

export const CALM: Faults = {
  unavailable: 0,
  lostRequest: 0,
  lostAnswer: 0,
  late: 0,
  repeated: 0,
  lateTwin: 0,
  shortPage: 0,
  crash: 0,
  stall: 0,
  clockStep: 0,
};

/** All that a process must live through; crashes are for those that may be lost. */
export const STORM: Faults = {
  unavailable: 3,
  lostRequest: 3,
  lostAnswer: 3,
  late: 3,
  repeated: 3,
  lateTwin: 2,
  shortPage: 30,
  crash: 0,
  stall: 1,
  clockStep: 1,
};
