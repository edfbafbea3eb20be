/** Exchanges whose answers are checked, whoever asks: each must be what there was at some moment meanwhile. */
import type { ExchangeEntry, Exchanges } from '../../../lib/ports/exchanges.ts';
import { checkRoutes } from './check-routes.ts';
import type { Oracle } from './oracle.ts';
import { bindingsOf, isThere, named, type RoutingVersion } from './stored-exchanges.ts';
import { demand } from './violation.ts';

export function watchedExchanges(exchanges: Exchanges, oracle: Oracle): Exchanges {
  const { exchanges: stored } = oracle;
  const look = (): Look => {
    const begunAt = oracle.moment;
    return (isSo, what) => {
      demand(stored.since(begunAt).some(isSo), 'EXCHANGE_NEVER_SO', () => what);
    };
  };
  return {
    ...exchanges,
    async load(name) {
      const wasSo = look();
      const entry = await exchanges.load(name);
      const id = entry?.exchangeId;
      wasSo((version) => named(version, name)?.id === id, `${name} is ${id}`);
      return entry;
    },
    async create(entry) {
      const wasSo = look();
      const isCreated = await exchanges.create(entry);
      const { name, exchangeId: id } = entry;
      const isOwn = (version: RoutingVersion) => named(version, name)?.id === id;
      wasSo(
        isCreated ? isOwn : (version) => named(version, name) !== undefined && !isOwn(version),
        `${name} created: ${isCreated}`,
      );
      return isCreated;
    },
    async remove(name, id) {
      stored.asked.add(id);
      const isRemoved = await exchanges.remove(name, id);
      demand(!stored.now.exchanges.has(id), 'REMOVED_BUT_THERE', () => `${isRemoved}: ${name}`);
      return isRemoved;
    },
    async bind(source, binding) {
      const wasSo = look();
      const outcome = await exchanges.bind(source, binding);
      wasSo((version) => {
        if (outcome === 'source_gone') return isGone(version, source);
        if (outcome === 'destination_gone') return !isThere(version, binding.destination);
        return bindingsOf(version, source.exchangeId).some(
          ({ binding: one }) =>
            one.name === binding.name && one.destination.id === binding.destination.id,
        );
      }, `${source.name} to ${binding.name}: ${outcome}`);
      return outcome;
    },
    async unbind(source, name) {
      const wasSo = look();
      stored.unbound.add(`${source.exchangeId} ${name}`);
      const outcome = await exchanges.unbind(source, name);
      wasSo((version) => {
        if (outcome === 'source_gone') return isGone(version, source);
        const all = bindingsOf(version, source.exchangeId);
        return all.every(({ binding }) => binding.name !== name);
      }, `${source.name} no more to ${name}: ${outcome}`);
      return outcome;
    },
    async bindings(source, query) {
      const begunAt = oracle.moment;
      const listed = await exchanges.bindings(source, query);
      const ids = new Set(listed.map(({ name, destination: { id } }) => `${name} ${id}`));
      const versions = stored.since(begunAt).map((version) => livingOf(version, source));
      const what = () => `${source.name}: ${[...ids]}`;
      const wereThere = [...ids].every((id) => versions.some((living) => living.has(id)));
      demand(wereThere, 'LISTED_WITHOUT_BEING', what);
      const [first = new Set<string>()] = versions;
      const always = [...first].filter((id) => versions.every((living) => living.has(id)));
      demand(
        always.every((id) => ids.has(id)),
        'NOT_LISTED',
        what,
      );
      return listed;
    },
    async routes(name) {
      const begunAt = oracle.moment;
      const graph = await exchanges.routes(name);
      checkRoutes({ name, versions: stored.since(begunAt) }, graph);
      return graph;
    },
  };
}

type Look = (isSo: (version: RoutingVersion) => boolean, what: string) => void;

function isGone({ exchanges }: RoutingVersion, { exchangeId }: ExchangeEntry): boolean {
  return !exchanges.has(exchangeId);
}

function livingOf(version: RoutingVersion, { exchangeId }: ExchangeEntry): ReadonlySet<string> {
  const living = bindingsOf(version, exchangeId).filter(({ binding }) =>
    isThere(version, binding.destination),
  );
  return new Set(living.map(({ binding: { name, destination } }) => `${name} ${destination.id}`));
}
