/**
 * Changes of the program's source, made while it is loaded: limits so small that short runs reach them,
 * and single conditions left out, which the simulation must notice. Never seen by the program itself.
 */
import { registerHooks } from 'node:module';

export interface Patch {
  /** Below the root of the repository. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

const ROOT = new URL('../../', import.meta.url);

export function applyPatch(source: string, { file, find, replace }: Patch): string {
  const count = source.split(find).length - 1;
  if (count !== 1) throw new Error(`${file} has ${count} times: ${find}`);
  return source.replace(find, () => replace);
}

/** Before anything of the program is imported. */
export function registerPatches(patches: readonly Patch[]): void {
  const byUrl = Map.groupBy(patches, ({ file }) => new URL(file, ROOT).href);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const ofFile = byUrl.get(url);
      if (ofFile === undefined) return loaded;
      return { ...loaded, source: ofFile.reduce(applyPatch, String(loaded.source)) };
    },
  });
}
