/** The schema of a CloudEvent takes exactly what a publish takes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePublish } from '../../../lib/http/body/parse-publish.ts';
import { cloudEvent } from '../../../lib/http/schemas/cloud-event.ts';

const some = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
const text = fc.oneof(
  some('', 'a', 'ä🜁', '\ud800', '\ufffe', 'a\nb'),
  fc.string({ unit: 'binary' }),
);
const anything = fc.oneof(
  fc.jsonValue(),
  some<unknown>(0, -1, 1.5, 2 ** 31, -(2 ** 31), null, true, [], {}),
);

/** Few at a time, so that many events are right as a whole. */
const members: { readonly [name: string]: fc.Arbitrary<unknown> } = {
  specversion: some<unknown>('1.0', '0.3', 1, null),
  id: text,
  source: some<unknown>('/a', 'urn:a:b', 'https://a/b?c#d', 'a b', '', 1),
  type: text,
  subject: fc.oneof(text, anything),
  time: some<unknown>('2026-11-29T10:00:00Z', '2026-11-29', '1795946400000', null),
  dataschema: some<unknown>('https://a/b', '/a', null),
  datacontenttype: some<unknown>('application/json', 'a/json', 'text/plain', 'text', null),
  partitionkey: fc.oneof(text, anything),
  data: anything,
  data_base64: some<unknown>('/w==', '!!', null, 1),
  extension: fc.oneof(text, anything),
  // Null is left out, which is taken under any name as an attribute that is not there.
  Extension: anything.filter((value) => value !== null),
};
const REQUIRED = { specversion: '1.0', id: '1', source: '/a', type: 't' };

const event = fc
  .subarray(Object.keys(members), { maxLength: 3 })
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, members[name] ?? anything]))),
  )
  .chain((some) =>
    fc.constantFrom<unknown>(some, { ...REQUIRED, ...some }, { ...REQUIRED, ...some }),
  );

function isPublished(value: unknown): boolean {
  try {
    parsePublish(Buffer.from(JSON.stringify(value)), {
      headers: new Headers({ 'content-type': 'application/cloudevents+json' }),
      query: {},
    });
    return true;
  } catch {
    return false;
  }
}

test('the schema of an event takes what a publish takes, and refuses what it refuses', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: event }, { weight: 1, arbitrary: anything }),
      (written) => {
        const value: unknown = JSON.parse(JSON.stringify(written));
        const isTaken = isPublished(value);
        seen[isTaken ? 'taken' : 'refused']++;

        expect(cloudEvent().safeParse(value).success).toBe(isTaken);
      },
    ),
    { numRuns: 3_000 },
  );

  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(300);
});
