/**
 * Bindings of a headers exchange: which of them the headers of a message match (SPEC X1). Values are equal when
 * their canonical texts are, so types count: 1 is neither "1" nor true.
 */
import { isWrittenObject, parseWrittenJson } from '../filter/written-json.ts';
import type { BindingArguments } from './binding.ts';
import { canonicalMembers, canonicalText } from './canonical-json.ts';
import type { HeadersMatch } from './exchange.ts';

/** Arguments that begin so say how to match, or belong to extensions: no header is compared with them. */
const NOT_COMPARED = 'x-';
const MATCH = 'x-match';

export interface HeadersTest {
  readonly match: HeadersMatch;
  readonly compared: readonly (readonly [name: string, text: string])[];
  /** Without any argument, not even one that is not compared: for messages without headers. */
  readonly isEmpty: boolean;
}

export function headersTest(args: BindingArguments, defaultMatch: HeadersMatch): HeadersTest {
  const members = canonicalMembers(args) ?? new Map<string, string>();
  const own = members.get(MATCH);
  return {
    match: own === undefined ? defaultMatch : own === '"any"' ? 'any' : 'all',
    compared: [...members].filter(([name]) => !name.startsWith(NOT_COMPARED)),
    isEmpty: members.size === 0,
  };
}

export function matchesHeaders(test: HeadersTest, headers: RoutedHeaders): boolean {
  if (test.isEmpty || headers.isEmpty) return test.isEmpty && headers.isEmpty;
  if (test.compared.length === 0) return true;
  const equals = ([name, text]: readonly [string, string]) => headers.textOf(name) === text;
  return test.match === 'all' ? test.compared.every(equals) : test.compared.some(equals);
}

/** The headers of a message, parsed when an exchange first asks for them. */
export class RoutedHeaders {
  readonly #text: string | undefined;
  #members: Readonly<Record<string, unknown>> | undefined;
  readonly #texts = new Map<string, string | undefined>();

  /** Undefined when the message has none. */
  constructor(text: string | undefined) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return Object.keys(this.#all()).length === 0;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#all(), name);
  }

  /** As `JSON.parse` has it, but numbers as they were written. */
  valueOf(name: string): unknown {
    return this.has(name) ? this.#all()[name] : undefined;
  }

  /** Canonical; undefined when there is no such header, or it is nested too deep to equal an argument. */
  textOf(name: string): string | undefined {
    if (!this.has(name)) return undefined;
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    const text = canonicalText(this.#all()[name]);
    this.#texts.set(name, text);
    return text;
  }

  #all(): Readonly<Record<string, unknown>> {
    this.#members ??= membersOf(this.#text);
    return this.#members;
  }
}

function membersOf(text: string | undefined): Readonly<Record<string, unknown>> {
  const parsed = text === undefined ? undefined : parseWrittenJson(text);
  return parsed !== undefined && isWrittenObject(parsed.value) ? parsed.value : {};
}
