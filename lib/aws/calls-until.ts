/**
 * A table or objects of which nothing more is asked once a signal has aborted: work in many steps then ends
 * with the one that is under way, as if its process had died. Throws what the signal gives as its reason.
 */

/** For parts whose methods are all asynchronous and need no `this`. */
export function callsUntil<Part extends object>(part: Part, signal: AbortSignal): Part {
  return new Proxy(part, {
    get(target, name) {
      signal.throwIfAborted();
      return Reflect.get(target, name);
    },
  });
}
