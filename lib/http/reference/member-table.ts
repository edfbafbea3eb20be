/** Tables of parameters and members: what each is called, what it may hold, what it means. */
import type { HeaderObject, JsonSchema, Parameter } from '../openapi/api-document.ts';
import { type Html, html } from './html.ts';
import { inline } from './prose.ts';
import { typeText } from './schema-text.ts';

interface Row {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export function parameterTable(parameters: readonly Parameter[]): Html {
  return table(parameters);
}

/** Of an answer: what it always has is not remarkable there, what it may lack is. */
export function headerTable(headers: readonly (readonly [string, HeaderObject])[]): Html {
  return table(
    headers.map(([name, header]) => ({ name, ...header })),
    'optional',
  );
}

export function answerTable(schema: JsonSchema): Html {
  return table(memberRows(schema, ''), 'optional');
}

/** Members of objects inside it stand below it, as `outer.inner`. */
export function memberTable(schema: JsonSchema): Html {
  return table(memberRows(schema, ''));
}

function memberRows({ properties = {}, required = [] }: JsonSchema, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (typeof property !== 'object') return [];
    const { description = '' } = property;
    const path = `${prefix}${name}`;
    const row = { name: path, required: required.includes(name), description, schema: property };
    return [row, ...memberRows(property, `${path}.`)];
  });
}

function table(rows: readonly Row[], marked: 'required' | 'optional' = 'required'): Html {
  const isMarked = ({ required }: Row) => required === (marked === 'required');
  const written = rows.map((one) => row(one, isMarked(one) ? marked : undefined));
  return html`<table class="members"><tbody>${written}</tbody></table>`;
}

function row({ name, description, schema }: Row, mark: string | undefined): Html {
  const shown = mark === undefined ? undefined : html` <span class="mark">${mark}</span>`;
  return html`<tr><th scope="row"><code>${name}</code>${shown}</th><td class="type">${typeText(schema)}</td><td>${inline(description)}${defaultText(schema)}</td></tr>`;
}

function defaultText(schema: JsonSchema): Html | undefined {
  if (schema.default === undefined) return undefined;
  const text = typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default);
  return html` <span class="default">Default: <code>${text}</code>.</span>`;
}
