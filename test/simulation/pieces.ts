/**
 * Calls about many things at once, which the real stores do in pieces: each piece takes effect at its own
 * time, and when one fails those before it are done.
 */
import { StoreError } from '../../lib/ports/store-error.ts';
import type { Chance } from './chance.ts';

export async function inPieces<Part, Result>(
  parts: readonly Part[],
  chance: Chance,
  send: (piece: readonly Part[]) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const piece of cut(parts, chance)) {
    try {
      results.push(await send(piece));
    } catch (error) {
      throw results.length === 0 ? error : partlyDone(error);
    }
  }
  return results;
}

/** One to three pieces, in any order; none for nothing. */
function cut<Part>(parts: readonly Part[], chance: Chance): readonly (readonly Part[])[] {
  if (parts.length === 0) return [];
  const [a, b] = [chance.below(parts.length + 1), chance.below(parts.length + 1)];
  const [first, second] = [Math.min(a, b), Math.max(a, b)];
  const pieces = [parts.slice(0, first), parts.slice(first, second), parts.slice(second)];
  const some = pieces.filter((piece) => piece.length > 0);
  return chance.percent(50) ? some : some.reverse();
}

function partlyDone(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.sideEffects === 'possible') return error;
  const { message, kind } = error;
  return new StoreError(message, { kind, sideEffects: 'possible', cause: error });
}
