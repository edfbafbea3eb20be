/**
 * How much of everything one request, stream or answer may hold. Named with the unit last; where a
 * limit can be seen from outside, the error names it. Sizes are logical, before compression.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** A read page of 4 MiB still holds several of the largest messages (SPEC P6). */
export const MESSAGE_BYTES_MAX = 1 * MIB;

/** Base64 makes 4 MiB 5.3 MiB, which a function that takes 6 MB a call still accepts (SPEC P6). */
export const REQUEST_BYTES_MAX = 4 * MIB;

/**
 * Of a request that publishes nothing. Settings and the arguments of a read take less than 1 KiB, and
 * their JSON is parsed with a look at each number: 4 MiB of it held everybody up for seconds (SPEC P6).
 */
export const CONTROL_BODY_BYTES_MAX = 64 * KIB;

/** A chunk is decided and encoded in one go; beyond this the others would wait for it (SPEC P6). */
export const MESSAGES_PER_REQUEST_MAX = 10_000;

/** Headers are matched one by one in filters and bindings, so they stay far below a body (SPEC P6). */
export const HEADERS_BYTES_MAX = 64 * KIB;

/** One length byte, and what AMQP 0.9.1 allows a short string (SPEC P9). */
export const NAME_BYTES_MAX = 255;

/** A page that a person can still scroll through. */
export const READ_LIMIT_DEFAULT = 1_000;

/** What one publish may store, one read may return. */
export const READ_LIMIT_MAX = 10_000;

/** Half a second at 2 MB/s, the rate at which long streamed answers are held. */
export const READ_BYTES_DEFAULT = 1 * MIB;

/** As base64 inside JSON it still fits the 6 MB of an answer that is not streamed. */
export const READ_BYTES_MAX = 4 * MIB;

/** Each URL is up to 2 KB with the credentials of a function in it: together they fit a buffered answer. */
export const PLAN_OBJECTS_MAX = 1_000;

/** Gateways and proxies commonly cut an idle request after 29 or 30 seconds. */
export const WAIT_SECONDS_MAX = 20;

/** As many as a stream must remember at the least; more cost space on every commit (SPEC D9). */
export const PUBLISHERS_PER_STREAM_MAX = 255;

export const LIST_LIMIT_DEFAULT = 100;

/** A thousand descriptions of about 1 KiB fill one page of the default size. */
export const LIST_LIMIT_MAX = 1_000;

/** Retention drops whole segments: smaller drop finer, larger cost fewer objects (SPEC T6). */
export const SEGMENT_BYTES_DEFAULT = 64 * MIB;

/** Some 10 MB of a stream's metadata; who numbers consumers without end meets it (SPEC C6). */
export const CONSUMERS_PER_STREAM_DEFAULT = 100_000;

/** Half of the 30 seconds after which proxies take a silent event stream for dead. */
export const PING_EVERY_MS = 15_000;

/** What a follower that is cut off looks at again at most; one event for each publish would be a flood. */
export const PASSED_PING_EVERY_MS = 1_000;

/** Registered content types stay below 128 bytes; the rest is room for parameters. */
export const CONTENT_TYPE_BYTES_MAX = 255;

/** Room for a UUID or a host name with a counter, small enough to compare on every commit. */
export const FENCING_TOKEN_BYTES_MAX = 255;

/** Nearly twice the longest sensible position, a time with nanoseconds and zone (38 characters). */
export const POSITION_CHARS_MAX = 64;

/** Each may be looked for in each of the millions of messages that a filtered read passes over (SPEC F1). */
export const FILTER_PARTS_MAX = 100;

/** A country's border simplified to a kilometre; ten thousand messages against it take 15 ms. */
export const FILTER_POINTS_MAX = 1_000;

/** A polygon takes four; what is deeper was not written by hand. */
export const FILTER_DEPTH_MAX = 16;
