/**
 * Which publishing id each message of a request has (SPEC D2, D4, D7): given for the first message,
 * the others following it, or given for every one; rising either way.
 */
export interface IdsRequest {
  readonly count: number;
  readonly publisher: string | undefined;
  readonly epoch: number | undefined;
  /** Of the first message, given for the request. */
  readonly firstId: number | undefined;
  /** Given with the messages; empty when none has one, else one for each message, perhaps undefined. */
  readonly messageIds: readonly (number | undefined)[];
}

export type PlannedIds =
  | { readonly kind: 'unnamed' }
  | { readonly kind: 'named'; readonly ids: readonly number[] }
  | { readonly kind: 'reject'; readonly field: string; readonly reason: string };

export function planPublishingIds(request: IdsRequest): PlannedIds {
  const { publisher, epoch, firstId, messageIds } = request;
  if (publisher === undefined) {
    if (epoch !== undefined) return reject('epoch', 'epoch needs a publisher');
    if (firstId === undefined && messageIds.length === 0) return { kind: 'unnamed' };
    return reject('publishing_id', 'publishing_id needs a publisher');
  }
  if (firstId === undefined) return listedIds(messageIds);
  if (messageIds.length === 0) return followingIds(firstId, request.count);
  return reject(
    'publishing_id',
    'give publishing_id for the request or with every message, not both',
  );
}

function followingIds(firstId: number, count: number): PlannedIds {
  // Not by the sum, which rounds: 2^53 - 1 and one more would come out as 2^53 - 1.
  if (firstId > Number.MAX_SAFE_INTEGER - (count - 1)) {
    return reject(
      'publishing_id',
      `publishing_id ${firstId} of ${count} messages ends above 2^53 - 1`,
    );
  }
  return { kind: 'named', ids: Array.from({ length: count }, (_, index) => firstId + index) };
}

function listedIds(messageIds: readonly (number | undefined)[]): PlannedIds {
  const ids = messageIds.filter((id) => id !== undefined);
  if (ids.length === 0 || ids.length < messageIds.length) {
    return reject(
      'publishing_id',
      'a named publish needs publishing_id for the first message or for every one',
    );
  }
  const fault = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? id));
  if (fault < 0) return { kind: 'named', ids };
  return reject(
    'publishing_id',
    `publishing ids must rise: message ${fault} has ${ids[fault]} after ${ids[fault - 1]}`,
  );
}

function reject(field: string, reason: string): PlannedIds {
  return { kind: 'reject', field, reason };
}
