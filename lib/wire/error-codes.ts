/**
 * The error catalogue: what a client can be told, and what it should do about it.
 *
 * One line a code: HTTP status, whether the same request may succeed later, and a title that never
 * changes. A code differs from its neighbours in what the caller should do, not in where it arose.
 */

interface ErrorKind {
  readonly status: number;
  readonly retryable: boolean;
  readonly title: string;
}

const kind = (status: number, title: string): ErrorKind => ({ status, retryable: false, title });
const passing = (status: number, title: string): ErrorKind => ({ status, retryable: true, title });

export const ERROR_CODES = {
  invalid_request: kind(400, 'The request is malformed'),
  invalid_offset: kind(400, 'The position is not one that a reader can start at'),
  invalid_name: kind(400, 'The name is not allowed'),
  invalid_filter: kind(400, 'The filter is malformed'),
  invalid_setting: kind(400, 'The setting has a value it cannot have'),
  setting_not_supported: kind(400, 'The setting, parameter or member is not supported yet'),
  key_required: kind(400, 'The message needs a key'),
  unauthenticated: kind(401, 'The request carries no valid token'),
  forbidden: kind(403, 'The token does not permit this'),
  foreign_origin: kind(403, 'The request comes from a foreign host or origin'),
  internal_exchange: kind(403, 'The exchange takes no publishes'),
  not_found: kind(404, 'There is no such route'),
  stream_not_found: kind(404, 'The stream does not exist'),
  queue_not_found: kind(404, 'The queue does not exist'),
  exchange_not_found: kind(404, 'The exchange does not exist'),
  consumer_not_found: kind(404, 'The consumer does not exist'),
  no_stored_offset: kind(404, 'The consumer has no stored offset'),
  group_not_found: kind(404, 'The group does not exist'),
  publisher_not_found: kind(404, 'The publisher is not known on this stream'),
  policy_not_found: kind(404, 'The policy does not exist'),
  delayed_not_found: kind(404, 'The delayed message does not exist'),
  super_stream_not_found: kind(404, 'The super stream does not exist'),
  no_route: kind(404, 'Nothing is bound for this routing key'),
  not_supported: kind(404, 'This store does not have that part'),
  method_not_allowed: kind(405, 'The path does not take this method'),
  not_acceptable: kind(406, 'None of the accepted formats can be given'),
  settings_mismatch: kind(409, 'It exists with other settings'),
  claim_lost: kind(409, 'The claim is no longer held'),
  publisher_fenced: kind(409, 'Another epoch of this publisher has taken over'),
  stream_recreated: kind(409, 'The stream was deleted and created again'),
  queue_full: passing(409, 'The queue is full'),
  too_many_destinations: kind(409, 'The message has too many destinations'),
  name_taken: kind(409, 'The name belongs to another resource'),
  offset_trimmed: kind(410, 'The offset is no longer retained'),
  offset_mismatch: kind(412, 'The stream is not at the expected offset'),
  fenced: kind(412, 'The stream carries another fencing token'),
  message_too_large: kind(413, 'A message is too large'),
  request_too_large: kind(413, 'The request is too large'),
  too_many_messages: kind(413, 'The request has too many messages'),
  too_many_delayed: kind(413, 'The request has too many delayed messages'),
  uri_too_long: kind(414, 'The URL is too long'),
  unsupported_media_type: kind(415, 'The body has a type or encoding that is not taken here'),
  offset_past_tail: passing(416, 'The offset has not been published yet'),
  too_many_claims: passing(429, 'The group has too many open claims'),
  rate_limited: passing(429, 'Too many requests'),
  headers_too_large: kind(431, 'The request headers are too large'),
  internal: kind(500, 'The service failed'),
  corrupt_data: kind(500, 'Stored data failed its check'),
  unavailable: passing(503, 'The service cannot do this now'),
  store_timeout: passing(503, 'The store did not answer in time'),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether a failed request may have changed something: `none` is said only when that is proven (SPEC P7). */
export type SideEffects = 'none' | 'possible';
