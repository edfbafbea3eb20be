/**
 * What tests of the API cannot be run at one of the addresses it is tried at (`VARVE_TEST_FRONT`), and what
 * is in the way there. Each is left out by name and says why; one that leaves nothing out fails the run.
 */
import process from 'node:process';

export interface FrontLimit {
  /** Of test/conformance. */
  readonly file: string;
  /** In the whole name of the test; all of the file without it. */
  readonly name?: RegExp;
  readonly why: string;
}

const TEXT_CODED =
  'a front hands bodies of text types over as text: what is compressed, or no UTF-8, is lost';

/** Of every front of Lambda. */
const FUNCTION_LIMITS: readonly FrontLimit[] = [
  { file: 'content-encoding', name: /may come as|is refused/, why: TEXT_CODED },
  { file: 'hostile-encodings', why: TEXT_CODED },
  { file: 'hostile-bodies', name: /no UTF-8 is refused: application\/json/, why: TEXT_CODED },
  { file: 'publishing-limits', name: /decoded: JSON (?:gzip|zstd)/, why: TEXT_CODED },
  { file: 'strict-requests', name: /named: no UTF-8/, why: TEXT_CODED },
  {
    file: 'request-ids',
    name: /is made when there is none/,
    why: 'the runtime names what names itself not',
  },
];

const NO_STREAM =
  'the emulator takes answers as a whole: event streams and `follow` are refused there';
const TOO_MANY = 'its hundreds of requests take 20 ms each there; the stand-in has them';
const TYPED = 'the emulator gives an answer without a type the type of JSON';
const DECODED = 'the emulator decodes %2F in a path, and %25 in a query once more';
const PLUS = 'the emulator signs a space for a plus in a query';
const AT_ONCE = 'each of the requests at the same time would be a process there';

/** Answers are given as a whole there, by a process for each request that is under way. */
const EMULATOR_LIMITS: readonly FrontLimit[] = [
  { file: 'event-stream', why: NO_STREAM },
  { file: 'event-stream-gaps', why: NO_STREAM },
  { file: 'event-injection', why: NO_STREAM },
  { file: 'following-lines', why: NO_STREAM },
  { file: 'message-bodies', name: /verbatim|unchanged|where lines end/, why: NO_STREAM },
  {
    file: 'read-formats',
    name: /is sse$|as=sse|messages and facts|in a header|kept by caches|event stream|HEAD/,
    why: NO_STREAM,
  },
  { file: 'start-positions', name: /published later/, why: NO_STREAM },
  { file: 'start-gaps', name: /event stream/, why: NO_STREAM },
  { file: 'page-bounds', name: /event stream/, why: NO_STREAM },
  {
    file: 'incarnations',
    name: /every answer names|event stream is refused|no condition|by an event|of its lines/,
    why: NO_STREAM,
  },
  { file: 'consumer-reading', name: /event stream|lines that go on/, why: NO_STREAM },
  { file: 'consumer-commits', name: /event stream|lines that go on/, why: NO_STREAM },
  { file: 'consumers', name: /a\/\.\. is one|differ in a byte/, why: DECODED },
  { file: 'consumers', name: /in any order/, why: AT_ONCE },
  { file: 'bindings', name: /has the properties key "(?:a%7Eb|%7E|%2E|eu)/, why: DECODED },
  { file: 'exchanges', name: /as it was made|by the names of streams/, why: DECODED },
  { file: 'api-description', name: /only when it has changed/, why: TYPED },
  { file: 'entity-tags', name: /is 304 without a body/, why: TYPED },
  { file: 'list-streams', name: /UTF-8 bytes|takes a prefix/, why: DECODED },
  { file: 'start-times', name: /bare plus/, why: PLUS },
  { file: 'hostile-bodies', why: TOO_MANY },
  { file: 'integers', why: TOO_MANY },
  { file: 'names', why: TOO_MANY },
  { file: 'page-bounds', name: /pages of (?:1|7) /, why: TOO_MANY },
  { file: 'publishers', name: /255 publishers/, why: TOO_MANY },
  { file: 'refused-reads', why: TOO_MANY },
  { file: 'start-positions', name: /every offset/, why: TOO_MANY },
  { file: 'stream-settings', why: TOO_MANY },
  { file: 'strict-requests', why: TOO_MANY },
  { file: 'publishing', name: /many publishers at once/, why: AT_ONCE },
  { file: 'create-on-publish', name: /50 at once/, why: AT_ONCE },
];

const LIMITS: { readonly [front: string]: readonly FrontLimit[] } = {
  emulator: [...FUNCTION_LIMITS, ...EMULATOR_LIMITS],
  'stand-in': [
    ...FUNCTION_LIMITS,
    {
      file: 'refused-reads',
      name: /makes the URL longer than 16 KiB/,
      why: 'the server of the stand-in takes no longer head',
    },
  ],
};

export function frontLimits(front = process.env['VARVE_TEST_FRONT'] ?? ''): readonly FrontLimit[] {
  return LIMITS[front] ?? [];
}

interface NamedTask {
  readonly fullTestName: string;
  readonly file: { readonly name: string };
}

export function frontLimit({ fullTestName, file }: NamedTask): FrontLimit | undefined {
  return frontLimits().find(
    (limit) =>
      file.name.endsWith(`/${limit.file}.test.ts`) && (limit.name?.test(fullTestName) ?? true),
  );
}
