/** Progress of long work: one line that is written over in a terminal, a line a tenth elsewhere. */

export interface Progress {
  update(done: number, note: string): void;
  /** Ends the line. */
  finish(): void;
}

export function createProgress(total: number): Progress {
  const isTerminal = process.stdout.isTTY === true;
  let shownTenth = -1;
  let shownAtMs = 0;
  return {
    update(done, note) {
      const percent = Math.floor((done / total) * 100);
      const line = `  ${String(percent).padStart(3)} %  ${done.toLocaleString('en')} published  ${note}`;
      if (isTerminal) {
        if (performance.now() - shownAtMs < 100 && done < total) return;
        shownAtMs = performance.now();
        process.stdout.write(`\r\x1b[2K${line}`);
      } else if (Math.floor(percent / 10) > shownTenth) {
        shownTenth = Math.floor(percent / 10);
        process.stdout.write(`${line}\n`);
      }
    },
    finish: () => void (isTerminal && process.stdout.write('\n')),
  };
}
