/** The table as one process sees it: what it sends is taken down when it is sent, and may come to grief. */
import type { Item, ItemKey, QueryRequest, Repeat, Table } from '../../lib/aws/table.ts';
import { checkManyKeys } from './many-keys.ts';
import type { MemoryTable } from './memory-table.ts';
import { createNetwork, type NetworkParts } from './network.ts';
import { inPieces } from './pieces.ts';

const SHORT_PAGE_ITEMS_END = 3;

export function createFaultyTable(table: MemoryTable, parts: NetworkParts): Table {
  const network = createNetwork(parts);
  const { actor, chance } = parts;
  const write = (repeat: Repeat) => (repeat === 'once' ? network.once : network.harmless);

  function shortened(request: QueryRequest): QueryRequest {
    if (!chance.percent(actor.faults.shortPage)) return request;
    const limit = 1 + chance.below(SHORT_PAGE_ITEMS_END);
    return { ...request, limit: Math.min(limit, request.limit ?? limit) };
  }

  return {
    get: (key) => network.read({ label: `get ${keyText(key)}`, land: () => table.get(key) }),

    async getMany(keys) {
      checkManyKeys(keys);
      const found = await inPieces(keys, chance, (piece) =>
        network.read({ label: `getMany ${keysText(piece)}`, land: () => table.getMany(piece) }),
      );
      return found.flat();
    },

    query(request) {
      const sent = shortened(request);
      return network.read({ label: `query ${request.k}`, land: () => table.query(sent) });
    },

    update(request, repeat) {
      const sent = structuredClone(request);
      const label = `update ${keyText(sent.key)}`;
      return write(repeat)({ label, land: () => table.update(sent, repeat) });
    },

    put(request, repeat) {
      const sent = structuredClone(request);
      const label = `put ${itemText(sent.item)}`;
      return write(repeat)({ label, land: () => table.put(sent, repeat) });
    },

    delete(request, repeat) {
      const sent = structuredClone(request);
      const label = `delete ${keyText(sent.key)}`;
      return write(repeat)({ label, land: () => table.delete(sent, repeat) });
    },

    transact(steps, token) {
      const sent = structuredClone(steps);
      const label = `transact ${sent.map(({ kind }) => kind).join('+')}`;
      return network.harmless({ label, land: () => table.transact(sent, token) });
    },

    async deleteMany(keys) {
      await inPieces(keys, chance, (piece) =>
        network.harmless({
          label: `deleteMany ${keysText(piece)}`,
          land: () => table.deleteMany(piece),
        }),
      );
    },
  };
}

function keyText({ k, s }: ItemKey): string {
  return `${k}/${s}`;
}

function keysText(keys: readonly ItemKey[]): string {
  return keys.map(keyText).join(',');
}

function itemText({ k, s }: Item): string {
  return [k, s].map((part) => (part !== undefined && 'S' in part ? part.S : '?')).join('/');
}
