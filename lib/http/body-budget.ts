/**
 * Bounds how many bytes of large request bodies are held at a time: 64 publishes of 4 MiB at once
 * would otherwise hold 256 MiB before the first one is parsed. Small bodies pass freely, so a large
 * one that comes slowly keeps no one waiting but other large ones.
 */

/** About the largest batch of small messages that clients send by default. */
export const FREE_BYTES_MAX = 64 * 1024;
const BUDGET_BYTES = 32 * 1024 * 1024;

export interface BodyBudget {
  /** Resolves when `bytes` may be held; the returned function gives them back, once. */
  acquire(bytes: number): Promise<() => void>;
  /** By those that acquired them and have not given them back. */
  heldBytes(): number;
}

export function createBodyBudget(budgetBytes = BUDGET_BYTES): BodyBudget {
  let free = budgetBytes;
  const waiting: { readonly bytes: number; grant(): void }[] = [];

  function grantNext(): void {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.grant();
    }
  }

  return {
    heldBytes: () => budgetBytes - free,
    async acquire(bytes) {
      if (bytes <= FREE_BYTES_MAX) return () => undefined;

      const held = Math.min(bytes, budgetBytes);
      await new Promise<void>((grant) => {
        waiting.push({ bytes: held, grant });
        grantNext();
      });
      let isHeld = true;
      return () => {
        if (isHeld) free += held;
        isHeld = false;
        grantNext();
      };
    },
  };
}
