/** Damages bytes as networks, disks and attackers do: a few changes at places of chance. */
import type { Chance } from './chance.ts';

/** Where lengths, flags and texts change their meaning; the last one is the varint of 2^53 - 1. */
const PIECES: readonly Uint8Array[] = [
  Uint8Array.of(0),
  Uint8Array.of(1),
  Uint8Array.of(0x7f),
  Uint8Array.of(0x80),
  Uint8Array.of(0xff),
  Uint8Array.of(0xff, 0xff, 0xff, 0x7f),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f),
];

type Change = (chance: Chance, source: Uint8Array, pieces: readonly Uint8Array[]) => Uint8Array;

const CHANGES: readonly Change[] = [
  (chance, source) => source.with(chance.below(source.length), chance.below(256)),
  (chance, source) => {
    const index = chance.below(source.length);
    return source.with(index, (source[index] ?? 0) ^ (1 << chance.below(8)));
  },
  (chance, source, pieces) => insert(chance, source, chance.pick(pieces)),
  (chance, source, pieces) => {
    const piece = chance.pick(pieces);
    const changed = source.slice();
    changed.set(
      piece.subarray(0, source.length),
      chance.below(Math.max(1, source.length - piece.length)),
    );
    return changed;
  },
  (chance, source) => insert(chance, source, partOf(chance, source)),
  (chance, source) => insert(chance, source, chance.bytes(8)),
  (chance, source) => {
    const start = chance.below(source.length);
    return joinBytes(source.subarray(0, start), source.subarray(start + 1 + chance.below(8)));
  },
  (chance, source) => partOf(chance, source),
  (chance, source) => source.subarray(0, chance.below(source.length)),
];

/** `pieces` are bytes that mean something where these go. */
export function mutateBytes(
  chance: Chance,
  source: Uint8Array,
  pieces: readonly Uint8Array[] = PIECES,
): Uint8Array {
  let changed = source;
  for (let changes = chance.pick([1, 1, 1, 2, 4]); changes > 0 && changed.length > 0; changes--) {
    changed = chance.pick(CHANGES)(chance, changed, pieces);
  }
  return changed;
}

export function utf8Pieces(...texts: readonly string[]): readonly Uint8Array[] {
  return texts.map((text) => new TextEncoder().encode(text));
}

export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function insert(chance: Chance, source: Uint8Array, piece: Uint8Array): Uint8Array {
  const start = chance.below(source.length + 1);
  return joinBytes(source.subarray(0, start), piece, source.subarray(start));
}

function partOf(chance: Chance, source: Uint8Array): Uint8Array {
  const start = chance.below(source.length);
  return source.subarray(start, start + 1 + chance.below(source.length - start));
}
