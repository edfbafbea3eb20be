/** What a check found to be wrong: the invariant that does not hold, and what shows it. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

export function demand(
  holds: boolean,
  invariant: string,
  what: () => string,
): asserts holds is true {
  if (!holds) throw new Violation(invariant, what());
}

/** Where the run failed: the program may have failed in many ways, the simulation adds only its story. */
export function violationIn(error: unknown): Violation | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Violation) return cause;
  }
  return undefined;
}
