/** Whether an answer is one that the description of the API has: status, headers, type, members. */
import { ROUTES } from '../../lib/http/app.ts';
import type {
  DescribedOperation,
  HeaderObject,
  ResponseObject,
} from '../../lib/http/openapi/api-document.ts';
import { buildDocument } from '../../lib/http/openapi/build-document.ts';
import type { Answer } from './api.ts';
import { schemaFaults } from './json-schema.ts';

export const document = buildDocument(ROUTES);

export interface Described {
  /** `PUT /v1/streams/{stream} 201 application/json` */
  readonly name: string;
  readonly faults: readonly string[];
}

/** `line` is the request as it was called; HEAD is described as GET. */
export function describeAnswer(line: string, answer: Answer): Described {
  const { method, path, operation } = operationAt(line);
  const type = contentType(answer.headers);
  const name = `${method} ${path} ${answer.status}${type === '' ? '' : ` ${type}`}`;
  const response = responseOf(operation, answer.status);
  if (response === undefined) return { name, faults: [`${name} is not described`] };
  return {
    name,
    faults: [...headerFaults(response, answer), ...bodyFaults(response, answer, method)],
  };
}

export function operationAt(line: string) {
  const [method = '', target = ''] = line.split(' ', 2);
  const path = pathOf(target.split('?', 1)[0] ?? '');
  const methods = document.paths[path] ?? {};
  // What is told of a method that a path does not take stands with each that it takes.
  const operation =
    methods[method === 'HEAD' ? 'get' : method.toLowerCase()] ?? Object.values(methods)[0];
  if (operation === undefined) throw new Error(`${path} is not described`);
  return { method, path, operation };
}

/** The described path that matches, with as few parameters as possible. */
function pathOf(path: string): string {
  const matching = Object.keys(document.paths).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return matching.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? path;
}

function contentType(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
}

export function responseOf(
  { responses }: DescribedOperation,
  status: number,
): ResponseObject | undefined {
  const response = responses[String(status)];
  if (response === undefined || !('$ref' in response)) return response;
  return document.components.responses[response.$ref.replace('#/components/responses/', '')];
}

function headerFaults({ headers }: ResponseObject, answer: Answer): readonly string[] {
  return Object.keys(headers).flatMap((name) => {
    const header = document.components.headers[name];
    const text = answer.headers.get(name);
    if (header === undefined) return [`header ${name} is not described`];
    if (text === null) return header.required ? [`header ${name} is missing`] : [];
    return valueFaults(name, header, text);
  });
}

function valueFaults(name: string, { schema }: HeaderObject, text: string): readonly string[] {
  const place = { document, path: name };
  if (schema['contentSchema'] !== undefined) {
    return schemaFaults(schema['contentSchema'], JSON.parse(text), place);
  }
  return schemaFaults(schema, schema.type === 'string' ? text : JSON.parse(text), place);
}

function bodyFaults(
  { content = {} }: ResponseObject,
  answer: Answer,
  method: string,
): readonly string[] {
  const type = contentType(answer.headers);
  if (type === '') return Object.keys(content).length === 0 ? [] : ['the body has no type'];
  const described = content[type];
  if (described === undefined) return [`${type} is not described`];
  if (method === 'HEAD') return [];
  const isJson = type === 'application/json' || type.endsWith('+json');
  const value: unknown = isJson ? JSON.parse(answer.text) : answer.text;
  return schemaFaults(described.schema, value, { document, path: 'the body' });
}

/** A path of the table of routes with a name in each place. */
export function namedPath(path: string): string {
  return path
    .replace(':stream', 's')
    .replace(':publisher', 'p')
    .replace(':consumer', 'c')
    .replace(':exchange', 'e')
    .replace(':delayed', '019ad0c4e3a0019ad0c4e3a00123456789abcdef0123')
    .replace(':kind', 'stream')
    .replace(':destination', 's')
    .replace(':properties_key', 'k');
}
