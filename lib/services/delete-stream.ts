/** Deletes a stream, at once for every client; whoever waits on it learns of it (SPEC T13). */
import type { StreamName } from '../core/log/ids.ts';
import type { Components } from './components.ts';

/** False when there is none. */
export async function deleteStream(
  { catalog, waker }: Components,
  name: StreamName,
): Promise<boolean> {
  const entry = await catalog.load(name);
  if (entry === undefined) return false;

  const removed = await catalog.remove(name, entry.streamId);
  waker.wake(entry.streamId);
  return removed;
}
