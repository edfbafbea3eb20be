/**
 * A body that goes on: pulled by the connection one piece at a time, so a slow reader is waited for
 * and fills no buffer, and one that goes away ends the work at once (SPEC LR5).
 */
import { type LinkedAbort, linkAbort } from '../../services/linked-abort.ts';
import type { Turns } from '../turns.ts';

/** `start` is called with a signal that aborts when the reader or the server goes away. */
export function liveBody(
  start: (signal: AbortSignal) => AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>,
  { closing, turns }: { readonly closing: AbortSignal; readonly turns: Turns },
): ReadableStream<Uint8Array> {
  let live: { readonly life: LinkedAbort; readonly pieces: ReturnType<typeof start> } | undefined;
  let isGone = false;
  // Begun by the first pull: the body of a HEAD is never pulled, and must not wait for anything.
  const begin = () => {
    const life = linkAbort(closing);
    return { life, pieces: start(life.signal) };
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await turns.take();
        // Whoever left while it waited for its turn is never begun, since nothing would end it.
        if (isGone) return;
        live ??= begin();
        const { value, done } = await live.pieces.next();
        if (value !== undefined) controller.enqueue(value);
        if (!done) return;
        live.life.end();
        controller.close();
      },
      async cancel() {
        isGone = true;
        live?.life.end();
        await live?.pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}
