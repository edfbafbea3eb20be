/**
 * Readers that check every byte: they know what each offset must hold, go on over a server that is
 * gone for a while, and throw at the first difference.
 */

export interface ReaderOptions {
  readonly url: string;
  readonly name: string;
  /** A position of the API; after the first answer the reader goes on by offset. */
  readonly from: string;
  readonly total: number;
  expected(offset: number): string;
}

export interface ReaderResult {
  readonly name: string;
  readonly first: number;
  readonly checked: number;
  /** Times the connection broke and the reader went on where it was. */
  readonly resumed: number;
}

interface State {
  from: string;
  first: number | undefined;
  offset: number;
  resumed: number;
}

const RETRY_MS = 50;

/** Reads to `total` by pages (`wait` at the end), or by one answer that goes on when `follow` is set. */
export async function readChecking(
  options: ReaderOptions & { readonly follow: boolean },
): Promise<ReaderResult> {
  const state: State = { from: options.from, first: undefined, offset: 0, resumed: 0 };
  const mode = options.follow ? 'follow=true' : 'limit=5000&max_bytes=4194304&wait=5';
  while (state.first === undefined || state.offset < options.total) {
    try {
      await readOnce(`${options.url}?as=text&${mode}&from=${state.from}`, state, options);
    } catch (error) {
      if (error instanceof WrongMessage) throw error;
      state.resumed++;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    if (state.first !== undefined) state.from = String(state.offset);
  }
  const { first, resumed } = state;
  return { name: options.name, first, checked: state.offset - first, resumed };
}

async function readOnce(url: string, state: State, options: ReaderOptions): Promise<void> {
  const life = new AbortController();
  const response = await fetch(url, { signal: life.signal });
  if (response.status !== 200) throw new Error(`answered ${response.status}`);

  const resolved: { offset: number } = JSON.parse(response.headers.get('varve-resolved') ?? '{}');
  if (response.headers.has('varve-gap'))
    throw new WrongMessage(`${options.name} was told of a gap`);
  state.first ??= resolved.offset;
  state.offset = resolved.offset;
  let rest = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) checkLine(line, state, options);
    if (state.offset < options.total) continue;
    life.abort();
    return;
  }
}

function checkLine(line: string, state: State, { name, expected }: ReaderOptions): void {
  if (line !== expected(state.offset)) {
    throw new WrongMessage(`${name} got at offset ${state.offset}: ${line.slice(0, 120)}`);
  }
  state.offset++;
}

export class WrongMessage extends Error {
  override readonly name = 'WrongMessage';
}
