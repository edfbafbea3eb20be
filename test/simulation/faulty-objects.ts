/** The bucket as one process sees it: what it sends is taken down when it is sent, and may come to grief. */
import type { Objects } from '../../lib/aws/objects.ts';
import type { ListQuery, MemoryObjects } from './memory-objects.ts';
import { createNetwork, type NetworkParts } from './network.ts';
import { inPieces } from './pieces.ts';

const SHORT_PAGE_NAMES_END = 3;

export function createFaultyObjects(objects: MemoryObjects, parts: NetworkParts): Objects {
  const network = createNetwork(parts);
  const { actor, chance } = parts;

  function shortened(query: ListQuery): ListQuery {
    if (!chance.percent(actor.faults.shortPage)) return query;
    return { ...query, namesMax: 1 + chance.below(SHORT_PAGE_NAMES_END) };
  }

  return {
    put(name, bytes) {
      const sent = new Uint8Array(bytes);
      return network.harmless({ label: `put object ${name}`, land: () => objects.put(name, sent) });
    },

    get: (name) => network.read({ label: `get object ${name}`, land: () => objects.get(name) }),

    getRange: (name, range) =>
      network.read({
        label: `get object ${name} [${range.start}, ${range.end})`,
        land: () => objects.getRange(name, range),
      }),

    list(query) {
      const sent = shortened(query);
      return network.read({
        label: `list objects ${query.prefix}`,
        land: () => objects.list(sent),
      });
    },

    async deleteMany(names) {
      await inPieces(names, chance, (piece) =>
        network.harmless({
          label: `delete objects ${piece.join(',')}`,
          land: () => objects.deleteMany(piece),
        }),
      );
    },

    // Signed by the process itself: nothing is sent.
    presignedUrl: (name, expiresSeconds) => objects.presignedUrl(name, expiresSeconds),
  };
}
