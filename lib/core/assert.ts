/**
 * Claims that hold unless this program itself is wrong: a broken one ends the request as a fault of
 * the service. Never used on what a client sent; that is parsed, and rejected with a reason.
 */

export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

/** The message is a function where making it costs: most assertions hold. */
export function assert(condition: boolean, message: string | (() => string)): asserts condition {
  if (!condition) throw new AssertionFailed(typeof message === 'string' ? message : message());
}
