/**
 * A JSON value as the one text that all ways to write it have: members in the order of their names, no white
 * space, numbers by the digits they were written with. Two values of the same type are equal when their texts
 * are (SPEC X1, X6): 1 equals neither "1" nor 1.0, and the order of members means nothing.
 */
import { isWrittenObject, parseWrittenJson, WrittenNumber } from '../filter/written-json.ts';

/** What is deeper was not written by hand; a walk over it would be one over the stack. */
export const CANONICAL_DEPTH_MAX = 16;

/** Of a value of `parseWrittenJson`. Undefined when it is nested too deep: then it equals nothing. */
export function canonicalText(value: unknown, depthMax = CANONICAL_DEPTH_MAX): string | undefined {
  if (value instanceof WrittenNumber) return value.text;
  if (Array.isArray(value)) return depthMax === 0 ? undefined : arrayText(value, depthMax - 1);
  if (isWrittenObject(value)) return depthMax === 0 ? undefined : objectText(value, depthMax - 1);
  return JSON.stringify(value);
}

function arrayText(values: readonly unknown[], depthMax: number): string | undefined {
  const texts = values.map((value) => canonicalText(value, depthMax));
  return texts.includes(undefined) ? undefined : `[${texts.join(',')}]`;
}

function objectText(
  members: Readonly<Record<string, unknown>>,
  depthMax: number,
): string | undefined {
  const texts: string[] = [];
  for (const name of Object.keys(members).sort()) {
    const text = canonicalText(members[name], depthMax);
    if (text === undefined) return undefined;
    texts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${texts.join(',')}}`;
}

/** The members of an object as their texts; undefined when the text is no object, or nested too deep. */
export function canonicalMembers(text: string): ReadonlyMap<string, string> | undefined {
  const parsed = parseWrittenJson(text);
  if (parsed === undefined || !isWrittenObject(parsed.value)) return undefined;
  const members = new Map<string, string>();
  for (const name of Object.keys(parsed.value).sort()) {
    const member = canonicalText(parsed.value[name], CANONICAL_DEPTH_MAX - 1);
    if (member === undefined) return undefined;
    members.set(name, member);
  }
  return members;
}
