/** One operation on the page: what it does, how it is called, what it takes and answers. */
import type {
  ApiDocument,
  ContentMap,
  DescribedOperation,
  JsonSchema,
  Parameter,
  RequestBodyObject,
  ResponseObject,
} from '../openapi/api-document.ts';
import { SAMPLE_ORIGIN } from '../openapi/curl-sample.ts';
import { errorTable } from './error-table.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import { answerTable, headerTable, memberTable, parameterTable } from './member-table.ts';
import { inline, paragraphs } from './prose.ts';
import { schemaName, typeText } from './schema-text.ts';

export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

export interface PageContext {
  readonly document: ApiDocument;
  /** Where the reader reached the service, for the examples. */
  readonly origin: string;
}

export function operationArticle(placed: PlacedOperation, context: PageContext): Html {
  const { method, path, operation } = placed;
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const sample = operation['x-codeSamples'][0].source.replaceAll(SAMPLE_ORIGIN, context.origin);
  return html`<article id="${operationId}">
<h3><a class="anchor" href="#${operationId}">${summary}</a></h3>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${paragraphs(description)}
<pre><code>${sample}</code></pre>
${parametersPart(parameters.map((parameter) => resolveParameter(parameter, context)))}
${requestBody && bodyPart(requestBody)}
<h4>Answers</h4>
${Object.entries(responses).map(([status, response]) => ('$ref' in response || response['x-errors'] ? undefined : answerPart(status, response, context)))}
<h4>Errors</h4>
${errorTable(Object.entries(responses))}
</article>`;
}

/** A path may break before each of its slashes. */
function breakable(path: string): readonly Html[] {
  return path.split(/(?=\/)/).map((part) => html`<wbr>${part}`);
}

function resolveParameter(
  parameter: DescribedOperation['parameters'][number],
  { document }: PageContext,
): Parameter | undefined {
  if (!('$ref' in parameter)) return parameter;
  // X-Request-Id is told once for all operations.
  const shared = document.components.parameters[schemaName(parameter) ?? ''];
  return shared?.in === 'path' ? shared : undefined;
}

function parametersPart(parameters: readonly (Parameter | undefined)[]): readonly Html[] {
  const places = [
    ['path', 'Path'],
    ['query', 'Query parameters'],
    ['header', 'Request headers'],
  ] as const;
  return places.flatMap(([place, title]) => {
    const there = parameters.filter((parameter) => parameter !== undefined);
    const rows = there.filter((parameter) => parameter.in === place);
    return rows.length === 0 ? [] : [html`<h4>${title}</h4>${parameterTable(rows)}`];
  });
}

function bodyPart({ description, content }: RequestBodyObject): Html {
  return html`<h4>Request body</h4>
${description === undefined ? undefined : paragraphs(description)}
${contentPart(content, memberTable)}`;
}

function contentPart(content: ContentMap, table: (schema: JsonSchema) => Html): readonly Html[] {
  return Object.entries(content).map(
    ([type, { schema, example }]) => html`<div class="content">
<p><code class="media">${type}</code> ${contentText(schema)}</p>
${schemaName(schema) === undefined && schema.properties ? table(schema) : undefined}
${example === undefined ? undefined : html`<pre><code>${exampleText(example)}</code></pre>`}
</div>`,
  );
}

function contentText(schema: JsonSchema): HtmlValue {
  if (schema.properties !== undefined) return undefined;
  return schema.description === undefined ? typeText(schema) : inline(schema.description);
}

function exampleText(example: unknown): string {
  return typeof example === 'string' ? example.trimEnd() : JSON.stringify(example);
}

function answerPart(
  status: string,
  { description, headers, content }: ResponseObject,
  { document }: PageContext,
): Html {
  const named = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
  const described = named.flatMap((name) => {
    const header = document.components.headers[name];
    return header === undefined ? [] : [[name, header] as const];
  });
  return html`<div class="answer">
<p><span class="status">${status}</span> ${inline(description)}</p>
${content && contentPart(content, answerTable)}
${described.length === 0 ? undefined : html`<h5>Headers</h5>${headerTable(described)}`}
</div>`;
}
