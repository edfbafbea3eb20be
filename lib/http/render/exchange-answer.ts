/** The members of a publish's answer through an exchange: each destination, and what a repeat does (SPEC X7, X8). */
import { StoreError } from '../../ports/store-error.ts';
import type { ExchangeAnswer, RoutedOutcome } from '../../services/publish-to-exchange.ts';
import type { SideEffects } from '../../wire/error-codes.ts';
import { CODE_OF_STORE, STORE_DETAIL } from '../problem.ts';
import { publishMembers } from './publish-answer.ts';

export function exchangeAnswerMembers(answer: ExchangeAnswer) {
  const { routed, destinations, unrouted, deduplicated, repeatable } = answer;
  const repeat = repeatMembers(destinations, repeatable);
  return {
    routed,
    destinations: destinations.map(outcomeMembers),
    unrouted,
    ...(deduplicated.length > 0 && { deduplicated }),
    ...(repeat && { repeat }),
    held: [],
  };
}

/** What the operators should know of. */
export function failuresOf({ destinations }: ExchangeAnswer): readonly unknown[] {
  return destinations.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome.error] : []));
}

function outcomeMembers({ destination, outcome }: RoutedOutcome) {
  const { name: stream, id } = destination;
  if ('answer' in outcome) {
    const { held: _, ...members } = publishMembers(outcome.answer);
    return { stream, outcome: outcome.kind, ...members };
  }
  if (outcome.kind === 'known') {
    const { messages: duplicates } = outcome;
    const nowhere = { start: null, end: null, timestamp: null };
    return { stream, outcome: 'duplicate', ...nowhere, stored: 0, duplicates, stream_id: id };
  }
  const nothing = { stream, outcome: outcome.kind, stored: 0, duplicates: 0, stream_id: id };
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
    kind === 'stored' || kind === 'duplicate' || kind === 'known';
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
