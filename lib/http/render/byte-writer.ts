/** Puts an answer together from texts and bytes in one growing buffer, without text in between. */

const INITIAL_BYTES = 4 * 1024;

export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(expectedBytes = INITIAL_BYTES) {
    this.#buffer = Buffer.allocUnsafe(expectedBytes);
  }

  /** Text without a character above U+007F. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#length += this.#buffer.write(text, this.#length, 'latin1');
  }

  utf8(text: string): void {
    // A UTF-16 unit becomes at most three bytes.
    this.#reserve(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  finish(): Uint8Array<ArrayBuffer> {
    const { buffer, byteOffset } = this.#buffer;
    return new Uint8Array(buffer as ArrayBuffer, byteOffset, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;

    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
