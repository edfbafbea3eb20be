/** What a server's processes hold. */
import { readFile } from 'node:fs/promises';

export interface Memory {
  readonly residentMib: number;
  /** VmHWM: the most the process ever held. */
  readonly peakMib: number;
}

export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) =>
    Number(new RegExp(`${name}:\\s+([0-9]+)`).exec(status)?.[1] ?? 0) / 1024;
  return { residentMib: mib('VmRSS'), peakMib: mib('VmHWM') };
}
