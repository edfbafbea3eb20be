/** Bodies of requests that are no publish: JSON of a known shape, or none. */
import type { z } from 'zod';
import { CONTROL_BODY_BYTES_MAX } from '../core/log/limits.ts';
import { LogError } from '../services/log-error.ts';
import { scanMembers } from '../wire/json-text.ts';
import { asObject, type JsonObject, parseExactJson, utf8Text } from './body/json-body.ts';
import { essence } from './body/parse-publish.ts';
import { readBody } from './body/read-body.ts';
import { validate } from './query.ts';
import type { RouteRequest } from './route.ts';

/** What `curl -d` says by itself is taken as JSON here (api, "Content types"). */
const JSON_TYPES = new Set(['', 'application/json', 'application/x-www-form-urlencoded']);

export interface WrittenObject {
  readonly members: JsonObject;
  /** A member as it was written, all digits of its numbers included; undefined when there is none. */
  textOf(name: string): string | undefined;
}

/** Undefined when the body has no bytes: for a PUT that means "exists" (SPEC T17). */
export async function readJsonObject(request: RouteRequest): Promise<JsonObject | undefined> {
  return (await readWrittenObject(request))?.members;
}

export async function readWrittenObject(request: RouteRequest): Promise<WrittenObject | undefined> {
  const body = await readBody(request.raw, request.bodies, CONTROL_BODY_BYTES_MAX);
  try {
    const { bytes } = body;
    if (bytes.length === 0) return undefined;
    refuseOtherTypes(request.raw.headers.get('content-type') ?? '');
    const members = asObject(parseExactJson(bytes), 'the body');
    return { members, textOf: (name) => memberText(bytes, name) };
  } finally {
    body.release();
  }
}

/** Of a name that is repeated the last one counts, as for the parser. */
function memberText(source: Uint8Array, name: string): string | undefined {
  const found = scanMembers(source, 0).findLast((member) => member.name === name);
  return found && utf8Text(source.subarray(found.value.start, found.value.end), name);
}

export async function readControlBody<Schema extends z.ZodType>(
  request: RouteRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  return validate((await readJsonObject(request)) ?? {}, schema);
}

/** A body that is to be empty, or an empty object. */
export async function refuseBody(request: RouteRequest): Promise<void> {
  const body = await readJsonObject(request);
  const [field] = Object.keys(body ?? {});
  if (field === undefined) return;
  throw new LogError(`${field.slice(0, 64)} is not known here: send no body`, {
    code: 'invalid_request',
    details: { field: field.slice(0, 64) },
  });
}

function refuseOtherTypes(contentType: string): void {
  const type = essence(contentType);
  if (JSON_TYPES.has(type)) return;
  throw new LogError(
    `${JSON.stringify(type.slice(0, 64))} is not taken here: send application/json`,
    {
      code: 'unsupported_media_type',
      details: { field: 'Content-Type' },
    },
  );
}
