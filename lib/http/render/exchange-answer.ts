/** The members of a publish's answer through an exchange: each destination, and what a repeat does (SPEC X7, X8). */
import { StoreError } from '../../ports/store-error.ts';
import type { HeldAnswer } from '../../services/publish-messages.ts';
import type { ExchangeAnswer, RoutedOutcome } from '../../services/publish-to-exchange.ts';
import type { SideEffects } from '../../wire/error-codes.ts';
import { CODE_OF_STORE, STORE_DETAIL } from '../problem.ts';
import { heldMembers, publishMembers } from './publish-answer.ts';

export function exchangeAnswerMembers(answer: ExchangeAnswer) {
  const { routed, destinations, unrouted, deduplicated, repeatable } = answer;
  const repeat = repeatMembers(destinations, repeatable);
  return {
    routed,
    destinations: destinations.map(outcomeMembers),
    unrouted,
    ...(deduplicated.length > 0 && { deduplicated }),
    ...(repeat && { repeat }),
    held: heldMembers(destinations.flatMap(heldBy)),
  };
}

function heldBy({ outcome }: RoutedOutcome): readonly HeldAnswer[] {
  return 'answer' in outcome ? outcome.answer.held : [];
}

/** What the operators should know of. */
export function failuresOf({ destinations }: ExchangeAnswer): readonly unknown[] {
  return destinations.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome.error] : []));
}

function outcomeMembers({ destination, outcome }: RoutedOutcome) {
  const { kind, name, id } = destination;
  const named = kind === 'stream' ? { stream: name } : { exchange: name };
  const own = kind === 'stream' ? { stream_id: id } : { exchange_id: id };
  if ('answer' in outcome) {
    const { answer } = outcome;
    const { held: _, stream_id: _id, ...members } = publishMembers(answer);
    // The holding place of an exchange has offsets that say nothing to anybody.
    const told = kind === 'stream' ? members : { stored: 0, duplicates: answer.duplicates };
    return { ...named, outcome: outcome.kind, ...told, ...own };
  }
  const nothing = { ...named, outcome: outcome.kind, stored: 0, duplicates: 0, ...own };
  if (outcome.kind === 'known') {
    const nowhere = kind === 'stream' ? { start: null, end: null, timestamp: null } : {};
    return { ...nothing, ...nowhere, outcome: 'duplicate', duplicates: outcome.messages };
  }
  if (outcome.kind === 'rejected') {
    const { code, message, sideEffects } = outcome.reason;
    return { ...nothing, code, message, side_effects: sideEffects };
  }
  return { ...nothing, ...failureMembers(outcome.error) };
}

function failureMembers(error: unknown) {
  const isKnown = error instanceof StoreError;
  const sideEffects: SideEffects = isKnown ? error.sideEffects : 'possible';
  return {
    code: isKnown ? CODE_OF_STORE[error.kind] : 'internal',
    message: STORE_DETAIL[sideEffects],
    side_effects: sideEffects,
  };
}

/** Undefined when every destination took it: then there is nothing to repeat. */
function repeatMembers(
  destinations: readonly RoutedOutcome[],
  repeatable: ExchangeAnswer['repeatable'],
) {
  const isTaken = ({ outcome: { kind } }: RoutedOutcome) =>
    kind === 'stored' || kind === 'duplicate' || kind === 'held' || kind === 'known';
  if (destinations.every(isTaken)) return undefined;
  if (repeatable !== 'no') {
    const same = repeatable === 'named' ? 'publisher and ids' : 'values';
    const message = `a repeat with the same ${same} is stored where it is missing only`;
    return { safe: true, message };
  }
  const mayStand = destinations.some((one) => isTaken(one) || isPossible(one));
  if (!mayStand)
    return { safe: true, message: 'nothing is stored anywhere: a repeat is a first try' };
  const message =
    'a repeat stores a second copy where it is stored already: name a publisher and publishing_id to have it recognised, or publish to the stream that is missing it';
  return { safe: false, message };
}

function isPossible({ outcome }: RoutedOutcome): boolean {
  return outcome.kind === 'failed' && failureMembers(outcome.error).side_effects === 'possible';
}
