/**
 * What strace saw of a server: the system calls that write and sync, in the order in which they began
 * and ended. A call that another thread interrupted is two lines, "unfinished" and "resumed".
 */

export interface TracedCall {
  readonly name: string;
  /** The file or socket, as `-y` shows it. */
  readonly target: string;
  /** The line as it began, data included. */
  readonly text: string;
  /** Places in the trace: where the call began, and where it returned. */
  readonly began: number;
  readonly returned: number;
  readonly result: number;
}

const WHOLE = /^([0-9]+) +([a-z0-9_]+)\(([0-9]+)<([^>]*)>(.*)\) += (-?[0-9]+)/;
const BEGUN = /^([0-9]+) +([a-z0-9_]+)\(([0-9]+)<([^>]*)>(.*)<unfinished \.\.\.>$/;
const RESUMED = /^([0-9]+) +<\.\.\. ([a-z0-9_]+) resumed>.*\) += (-?[0-9]+)/;

export function parseTrace(trace: string): TracedCall[] {
  const calls: TracedCall[] = [];
  /** One call at a time is under way in each thread. */
  const open = new Map<string, Omit<TracedCall, 'returned' | 'result'>>();
  trace.split('\n').forEach((line, place) => {
    const whole = WHOLE.exec(line);
    if (whole !== null) {
      calls.push({ ...begun(whole, line, place), returned: place, result: Number(whole[6]) });
      return;
    }
    const begin = BEGUN.exec(line);
    if (begin !== null) open.set(begin[1] ?? '', begun(begin, line, place));

    const end = RESUMED.exec(line);
    const call = open.get(end?.[1] ?? '');
    if (end !== null && call !== undefined) {
      calls.push({ ...call, returned: place, result: Number(end[3]) });
      open.delete(end[1] ?? '');
    }
  });
  return calls;
}

function begun(match: RegExpExecArray, text: string, began: number) {
  return { name: match[2] ?? '', target: match[4] ?? '', text, began };
}
