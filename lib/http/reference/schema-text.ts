/** A JSON Schema in a few words: its type, its bounds, its values. */
import type { JsonSchema } from '../openapi/api-document.ts';
import { type Html, type HtmlValue, html } from './html.ts';

type AnySchema = JsonSchema | boolean | undefined;

export function schemaName({ $ref }: { readonly $ref?: string | undefined }): string | undefined {
  return $ref?.split('/').at(-1);
}

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

export function typeText(schema: AnySchema): HtmlValue {
  if (typeof schema !== 'object') return 'any value';
  const name = schemaName(schema);
  if (name !== undefined) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  if (schema.enum !== undefined) return alternatives(schema.enum.map(literal));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.anyOf !== undefined) return alternatives(distinctTypes(schema.anyOf));
  if (schema.type === 'array') return arrayText(schema);
  const types = [schema.type ?? 'any value'].flat();
  return [alternatives(types), bounds(schema)];
}

function arrayText({ items }: JsonSchema): Html {
  const item = Array.isArray(items) ? undefined : items;
  return html`array of ${typeText(item)}`;
}

function literal(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function distinctTypes(schemas: readonly AnySchema[]): readonly HtmlValue[] {
  const single = schemas.flatMap((schema) =>
    typeof schema === 'object' && schema.enum ? schema.enum.map(literal) : [typeText(schema)],
  );
  const texts = single.map((text) => html`${text}`);
  return texts.filter(({ text }, index) => texts.findIndex((t) => t.text === text) === index);
}

function alternatives(texts: readonly HtmlValue[]): readonly HtmlValue[] {
  return texts.map((text, index) => {
    if (index === 0) return text;
    return [index === texts.length - 1 ? ' or ' : ', ', text];
  });
}

/** Bounds that tell more than what a number can hold exactly. */
function bounds({ minimum, maximum, minLength, maxLength }: JsonSchema): string {
  const low = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const high = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (low !== undefined && high !== undefined) return `, ${number(low)} to ${number(high)}`;
  if (low !== undefined) return `, from ${number(low)}`;
  if (high !== undefined) return `, to ${number(high)}`;
  if (maxLength !== undefined) return `, ${minLength ?? 0} to ${maxLength} characters`;
  return '';
}

/** With thin spaces between thousands: 67 108 864. */
function number(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f');
}
