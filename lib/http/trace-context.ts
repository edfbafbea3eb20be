/** The trace that a request belongs to (W3C Trace Context): read from `traceparent`, never made here. */

export interface TraceContext {
  readonly traceId: string;
  /** As it came. */
  readonly traceparent: string;
}

/** A later version may have more behind the flags, which nobody here reads. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[!-~]*)?$/;
const TRACEPARENT_CHARS_MAX = 255;

/** Undefined for one that is not valid: it is then as if there was none. */
export function parseTraceparent(given: string | null): TraceContext | undefined {
  if (given === null || given.length > TRACEPARENT_CHARS_MAX) return undefined;
  const [traceparent, version, traceId, spanId, rest] = TRACEPARENT.exec(given) ?? [];
  if (traceparent === undefined || traceId === undefined || spanId === undefined) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const isNamed = /[^0]/.test(traceId) && /[^0]/.test(spanId);
  return isNamed ? { traceId, traceparent } : undefined;
}
