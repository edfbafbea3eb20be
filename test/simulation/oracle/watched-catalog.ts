/** A catalog whose answers are checked, whoever asks. */
import type { Catalog } from '../../../lib/ports/catalog.ts';
import { canonicalText } from '../canonical-text.ts';
import type { Oracle } from './oracle.ts';
import { demand } from './violation.ts';

export function watchedCatalog(catalog: Catalog, oracle: Oracle): Catalog {
  return {
    ...catalog,
    async load(name) {
      const entry = await catalog.load(name);
      if (entry === undefined) return undefined;
      const { settings } = oracle.stored.incarnation(entry.streamId);
      const isRight = canonicalText(settings.get(entry.revision)) === canonicalText(entry.settings);
      demand(isRight, 'SETTINGS_WRONG', () => canonicalText(entry));
      return entry;
    },
    async create(entry) {
      const begunAt = oracle.moment;
      const isCreated = await catalog.create(entry);
      const tails = oracle.tailsSince(entry.name, begunAt);
      const isRight = isCreated
        ? tails.some((tail) => tail?.streamId === entry.streamId)
        : tails.some((tail) => tail !== undefined && tail.streamId !== entry.streamId);
      demand(isRight, 'CREATED_WRONG', () => `${isCreated}: ${canonicalText(entry)}`);
      return isCreated;
    },
    async remove(name, streamId) {
      oracle.removals.add(streamId);
      const isRemoved = await catalog.remove(name, streamId);
      const { tail } = oracle.stored.incarnation(streamId);
      demand(tail === undefined, 'REMOVED_BUT_LIVE', () => `${isRemoved}: ${name} ${streamId}`);
      return isRemoved;
    },
    async saveSettings(streamId, change) {
      const isSaved = await catalog.saveSettings(streamId, change);
      const incarnation = oracle.stored.incarnation(streamId);
      const { tail, revision = 0, settings } = incarnation;
      const saved = change.expected + 1;
      const what = () => `${isSaved}: ${saved}, now ${revision}, epoch ${tail?.epoch}`;
      if (tail === undefined) return isSaved;
      demand(revision >= saved, 'SETTINGS_WRONG', what);
      if (!isSaved) return false;
      demand(tail.epoch >= saved, 'ACKNOWLEDGED_BEFORE_EPOCH', what);
      const isSame = canonicalText(settings.get(saved)) === canonicalText(change.settings);
      demand(isSame, 'SETTINGS_WRONG', what);
      incarnation.acknowledgedRevision = Math.max(incarnation.acknowledgedRevision, saved);
      return true;
    },
  };
}
