/**
 * JSON text to values the plain way, by recursion. `JSON.parse` is no judge of names: V8 13.6 takes an
 * escaped name for one that an earlier object had, so what it finds hangs on what it was given before.
 */

/** The text must be JSON. */
export function referenceValue(text: string): unknown {
  return new Reader(text).value();
}

class Reader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    const first = this.#peek();
    if (first === '[') return this.#list(']', () => this.value());
    if (first === '{') return Object.fromEntries(this.#list('}', () => this.#member()));
    return this.#take(first === '"' ? /"(?:[^"\\]|\\.)*"/y : /[^\s,\]}]+/y);
  }

  #member(): [string, unknown] {
    this.#peek();
    const name = this.#take(/"(?:[^"\\]|\\.)*"/y);
    this.#skip(':');
    return [String(name), this.value()];
  }

  #list<Item>(end: string, item: () => Item): Item[] {
    const items: Item[] = [];
    this.#position++;
    while (this.#peek() !== end) {
      items.push(item());
      if (this.#peek() === ',') this.#position++;
    }
    this.#position++;
    return items;
  }

  #take(pattern: RegExp): unknown {
    pattern.lastIndex = this.#position;
    const [taken = ''] = pattern.exec(this.#text) ?? [];
    this.#position += taken.length;
    return JSON.parse(taken);
  }

  #skip(mark: string): void {
    if (this.#peek() !== mark) throw new Error(`no ${mark} at ${this.#position}`);
    this.#position++;
  }

  /** The next character that is no space. */
  #peek(): string {
    while (/[ \t\r\n]/.test(this.#text[this.#position] ?? '')) this.#position++;
    return this.#text[this.#position] ?? '';
  }
}
