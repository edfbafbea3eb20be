/** Reads a body that goes on, line by line, no faster than it is asked to. */

export interface LineReader {
  /** The next line without its end, or undefined at the end of the body. */
  line(): Promise<string | undefined>;
  /** Goes away, also while a line is waited for. */
  cancel(): Promise<void>;
}

export function createLineReader(response: Response): LineReader {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('the answer has no body');
  const decoder = new TextDecoder();
  let text = '';
  return {
    async line() {
      for (let end = text.indexOf('\n'); ; end = text.indexOf('\n')) {
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return line;
        }
        const { value, done } = await reader.read();
        if (!done) text += decoder.decode(value, { stream: true });
        else if (text === '') return undefined;
        else throw new Error(`the body ends inside a line: ${text}`);
      }
    },
    cancel: () => reader.cancel(),
  };
}
