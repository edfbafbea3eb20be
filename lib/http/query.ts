/**
 * Query strings, strictly: a parameter twice, an unknown one, broken percent-encoding and a number
 * that is none are refused by name, so that no typo is taken for a default. Values are read by the
 * same schema that validates the JSON form of the request.
 */
import * as z from 'zod';
import { invalid, LogError } from '../services/log-error.ts';

const POSITIONS: ReadonlySet<string> = new Set(['from', 'from_default']);

/** The parameters as text, each at most once. */
export function splitQuery(url: string): Map<string, string> {
  const values = new Map<string, string>();
  const mark = url.indexOf('?');
  if (mark < 0) return values;

  const end = url.indexOf('#', mark);
  for (const pair of url.slice(mark + 1, end < 0 ? undefined : end).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), pair);
    if (values.has(name)) throw invalid(name, `parameter ${name} is given twice: give it once`);
    values.set(name, equals < 0 ? '' : decode(pair.slice(equals + 1), name));
  }
  return values;
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    const message = `parameter ${name.slice(0, 64)} is not percent-encoded UTF-8`;
    throw new LogError(message, {
      code: 'invalid_request',
      details: { field: name.slice(0, 64) },
      cause,
    });
  }
}

export function parseQuery<Shape extends z.core.$ZodLooseShape>(
  url: string,
  schema: z.ZodObject<Shape, z.core.$strict>,
): z.output<z.ZodObject<Shape, z.core.$strict>> {
  const values = [...splitQuery(url)].map(([name, text]) => {
    const member = schema.shape[name];
    return [name, member instanceof z.ZodType ? readText(text, member) : text];
  });
  // Assigned one by one, a parameter named __proto__ would vanish instead of being refused.
  return validate(Object.fromEntries(values), schema);
}

/** Text that is no number or boolean stays text, and then fails the schema by name. */
function readText(text: string, member: z.ZodType): unknown {
  const type = member instanceof z.ZodOptional ? member.unwrap() : member;
  if (type instanceof z.ZodNumber && /^-?(0|[1-9][0-9]*)$/.test(text)) return Number(text);
  if (type instanceof z.ZodBoolean && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Validates parameters or members, and names the first one at fault. */
export function validate<Schema extends z.ZodType>(
  values: unknown,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;

  const issue = result.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const field = unknown[0]?.slice(0, 64) ?? issue?.path.join('.') ?? '';
  const name = field === '' ? 'the body' : field;
  const reason = unknown.length > 0 ? 'is not known here' : `is wrong: ${issue?.message}`;
  throw new LogError(`${name} ${reason}`, {
    code: POSITIONS.has(field) ? 'invalid_offset' : 'invalid_request',
    details: { field },
  });
}

export function notSupported(field: string): LogError {
  return new LogError(`${field} is not supported yet: leave it out`, {
    code: 'setting_not_supported',
    details: { field },
  });
}
