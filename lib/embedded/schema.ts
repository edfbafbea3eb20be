/**
 * The tables of a Varve database and how it is told apart from other SQLite files.
 *
 * `no` stands for one incarnation of a stream and is never used again, so what is left of a deleted
 * stream can be removed while its name is in use. A run never straddles the opening of a segment.
 */

/** `VARV`, in the header of the file where `file` and SQLite look for it. */
export const APPLICATION_ID = 0x56_41_52_56;

/** Raised when an older Varve could no longer read what this one writes. */
export const FORMAT_VERSION = 4;

/** What format 2 brought, which an upgrade makes as well. */
export const RETENTION_TABLES = `
  CREATE INDEX segment_to_pack ON segment (pack_ms) WHERE pack_ms IS NOT NULL;

  CREATE TABLE piece (
    stream INTEGER NOT NULL,
    first INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    index_start INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (stream, first)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE retention (
    stream INTEGER PRIMARY KEY,
    due_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX retention_due ON retention (due_ms);

  CREATE TABLE removal (
    stream INTEGER NOT NULL,
    kind TEXT NOT NULL,
    first INTEGER NOT NULL,
    below INTEGER NOT NULL,
    PRIMARY KEY (stream, kind, first)
  ) STRICT, WITHOUT ROWID;
`;

/** What format 3 brought: offsets that consumers stored, and how many a stream has. */
export const CONSUMER_TABLES = `
  CREATE TABLE consumer (
    stream INTEGER NOT NULL,
    name TEXT NOT NULL,
    next INTEGER NOT NULL,
    written_ms INTEGER NOT NULL,
    PRIMARY KEY (stream, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX consumer_written ON consumer (stream, written_ms, name);

  CREATE TABLE consumer_count (
    stream INTEGER PRIMARY KEY,
    count INTEGER NOT NULL
  ) STRICT;
`;

/** What format 3 brought for message deduplication; `value` is the beginning of its hash. */
export const DEDUPLICATION_TABLES = `
  CREATE TABLE recorded_value (
    stream INTEGER NOT NULL,
    value BLOB NOT NULL,
    number INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    PRIMARY KEY (stream, value)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX recorded_value_number ON recorded_value (stream, number);
`;

/**
 * What format 4 brought: exchanges, and bindings to a stream or an exchange as "target", each by its number. The
 * revision rises with every change of the bindings of an exchange. What it remembers of a value, by the beginning of
 * its hash, names each destination with 1 if that has the message.
 */
export const EXCHANGE_TABLES = `
  CREATE TABLE exchange (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    settings TEXT NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE binding (
    exchange INTEGER NOT NULL,
    name TEXT NOT NULL,
    properties_key TEXT NOT NULL,
    routing_key TEXT NOT NULL,
    arguments TEXT NOT NULL,
    stream INTEGER,
    target INTEGER,
    PRIMARY KEY (exchange, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX binding_stream ON binding (stream) WHERE stream IS NOT NULL;
  CREATE INDEX binding_target ON binding (target) WHERE target IS NOT NULL;

  CREATE TABLE routing_record (
    exchange INTEGER NOT NULL,
    value BLOB NOT NULL,
    number INTEGER NOT NULL,
    rid TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    destinations TEXT NOT NULL,
    PRIMARY KEY (exchange, value)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX routing_record_number ON routing_record (exchange, number);
`;

/**
 * What format 4 brought: messages that are held, by the stream that accepted each, which is their target or the
 * holding place of an exchange. Ids sort by when they are due.
 */
export const TIMER_TABLES = `
  CREATE TABLE held (
    id BLOB NOT NULL UNIQUE,
    place INTEGER NOT NULL,
    held_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    json_checked INTEGER NOT NULL,
    record BLOB NOT NULL
  ) STRICT;
  CREATE INDEX held_place ON held (place, id);
`;

export const SCHEMA = `
  CREATE TABLE stream (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    settings TEXT NOT NULL,
    revision INTEGER NOT NULL,
    first INTEGER NOT NULL,
    next INTEGER NOT NULL,
    last_chunk INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    segment_first INTEGER,
    segment_bytes_before INTEGER,
    segment_first_ms INTEGER,
    fencing_token TEXT
  ) STRICT;

  CREATE TABLE run (
    stream INTEGER NOT NULL,
    base INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    refs BLOB NOT NULL,
    chunks BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX run_base ON run (stream, base);

  CREATE TABLE segment (
    stream INTEGER NOT NULL,
    first INTEGER NOT NULL,
    number INTEGER NOT NULL,
    bytes_before INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    "end" INTEGER,
    bytes_through INTEGER,
    last_ms INTEGER,
    pack_ms INTEGER,
    PRIMARY KEY (stream, first)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE publisher (
    stream INTEGER NOT NULL,
    name TEXT NOT NULL,
    highest_id INTEGER NOT NULL,
    epoch INTEGER,
    first_id INTEGER NOT NULL,
    count INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (stream, name)
  ) STRICT, WITHOUT ROWID;
  ${RETENTION_TABLES}
  ${CONSUMER_TABLES}
  ${DEDUPLICATION_TABLES}
  ${EXCHANGE_TABLES}
  ${TIMER_TABLES}
`;
