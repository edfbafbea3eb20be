/** A change of the program that makes it wrong, and where the simulation notices that. */
import type { Patch } from '../patches.ts';

export interface Mutation {
  readonly name: string;
  /** What the program then does, or leaves out. */
  readonly what: string;
  readonly scenario: string;
  /** With the real limits of the program: small ones are in the way. */
  readonly limits?: 'real';
  /** Within so many seeds, from 0 on, it is noticed. */
  readonly seedsMax: number;
  readonly patches: readonly Patch[];
}

/** A part of a condition that holds from now on, whatever the item is, as long as there is one. */
export function always(file: string, clause: string, quote = ''): Patch {
  const find = `${quote}${clause}${quote}`;
  const loose = `(${clause} OR attribute_exists(#k))`;
  return { file, find, replace: `${quote}${loose}${quote}` };
}
