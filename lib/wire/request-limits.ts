/**
 * What clients keep to by themselves, so that a message or a request over a limit is told at once and
 * not after its way to the server. The server holds the same limits (SPEC P6, LR3, LR4) and decides.
 */

const MIB = 1024 * 1024;

/** Body, key, routing key, headers and properties of one message. */
export const MESSAGE_BYTES_MAX = 1 * MIB;

/** Headers of one message, as JSON text. */
export const HEADERS_BYTES_MAX = 64 * 1024;

/** A publish's body, before it is compressed. */
export const REQUEST_BYTES_MAX = 4 * MIB;

export const MESSAGES_PER_REQUEST_MAX = 10_000;

/** Messages of one page. */
export const READ_LIMIT_MAX = 10_000;

/** How long a reading request may wait for its first message. */
export const WAIT_SECONDS_MAX = 20;

/** How often a silent event stream says that it is alive. */
export const PING_EVERY_MS = 15_000;
