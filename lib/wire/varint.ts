/** Unsigned LEB128 for safe integers (0 … 2^53 - 1), written to and read from byte arrays. */

/** 53 bits in groups of 7. */
export const VARINT_BYTES_MAX = 8;

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** Writes at `start` and returns the position behind. The target must have room. */
export function writeVarint(target: Uint8Array, value: number, start: number): number {
  let rest = value;
  let position = start;
  while (rest >= 0x80) {
    target[position++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  target[position++] = rest;
  return position;
}

/** Reads varints one after the other. Throws {@link Malformed} on cut or oversized input. */
export class VarintReader {
  readonly source: Uint8Array;
  position: number;

  constructor(source: Uint8Array, position = 0) {
    this.source = source;
    this.position = position;
  }

  next(what: string): number {
    const first = this.source[this.position];
    if (first !== undefined && first < 0x80) {
      this.position++;
      return first;
    }
    return this.#long(what);
  }

  byte(what: string): number {
    const byte = this.source[this.position];
    if (byte === undefined) throw new Malformed(`${what} at ${this.position} is cut off`);
    this.position++;
    return byte;
  }

  /** Moves over the next `length` bytes, without a view of them. */
  skip(length: number, what: string): void {
    const end = this.position + length;
    if (end > this.source.length) {
      throw new Malformed(`${what} of ${length} bytes at ${this.position} is cut off`);
    }
    this.position = end;
  }

  /** The next `length` bytes, as a view. */
  take(length: number, what: string): Uint8Array {
    const start = this.position;
    this.skip(length, what);
    return this.source.subarray(start, this.position);
  }

  #long(what: string): number {
    const start = this.position;
    let value = 0;
    for (let index = 0; index < VARINT_BYTES_MAX; index++) {
      const byte = this.source[this.position++];
      if (byte === undefined) throw new Malformed(`${what} at ${start} is cut off`);

      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte >= 0x80) continue;
      if (value > Number.MAX_SAFE_INTEGER) break;
      return value;
    }
    throw new Malformed(`${what} at ${start} is above 2^53 - 1`);
  }
}

/** Bytes that are no wire batch; the message says what was expected where. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}
