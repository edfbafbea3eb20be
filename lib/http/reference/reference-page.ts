/**
 * The reference as one page of HTML, from the description of the API alone. No script, nothing that is
 * loaded from anywhere: it reads the same behind a firewall, in a small window and in the dark.
 */
import type { ApiDocument, JsonSchema, ResponseObject } from '../openapi/api-document.ts';
import { errorTable } from './error-table.ts';
import { Html, html } from './html.ts';
import { memberTable, parameterTable } from './member-table.ts';
import { operationArticle, type PageContext, type PlacedOperation } from './operation-article.ts';
import { inline, paragraphs } from './prose.ts';
import { schemaAnchor, typeText } from './schema-text.ts';
import { STYLE } from './style.ts';

export function renderReference(document: ApiDocument, origin: string): string {
  const context = { document, origin };
  const { info } = document;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<nav class="beside" aria-label="Contents">${contents(document)}</nav>
<main>
<header>
<h1>${info.title} <span>HTTP API</span></h1>
${paragraphs(info.description)}
<p>This page is made of <a href="openapi.json">openapi.json</a>, which is made of the schemas that validate.</p>
<nav class="above" aria-label="Contents"><details><summary>Contents</summary>${contents(document)}</details></nav>
</header>
${document.tags.map((tag) => chapter(tag, context))}
${everywhere(context)}
${schemas(document)}
</main>
</body>
</html>
`;
  return page.text;
}

function placedOperations({ paths }: ApiDocument, tag: string): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function contents(document: ApiDocument): Html {
  const chapters = document.tags.map(({ name }) => {
    const operations = placedOperations(document, name).map(
      ({ operation: { operationId, summary } }) =>
        html`<li><a href="#${operationId}">${summary}</a></li>`,
    );
    return html`<li><a href="#${name.toLowerCase()}">${name}</a><ul>${operations}</ul></li>`;
  });
  return html`<ul class="contents">${chapters}<li><a href="#everywhere">Everywhere</a></li><li><a href="#schemas">Schemas</a></li></ul>`;
}

function chapter({ name, description }: ApiDocument['tags'][number], context: PageContext): Html {
  const operations = placedOperations(context.document, name);
  return html`<section id="${name.toLowerCase()}">
<h2>${name}</h2>
<p class="lead">${inline(description)}</p>
${operations.map((placed) => operationArticle(placed, context))}
</section>`;
}

/** What is the same for all operations, told once. */
function everywhere(context: PageContext): Html {
  const { parameters, responses } = context.document.components;
  const headers = Object.values(parameters).filter((parameter) => parameter.in === 'header');
  const byStatus = Object.values(responses).map(
    (response) => [statusOf(response), response] as const,
  );
  return html`<section id="everywhere">
<h2>Everywhere</h2>
<p class="lead">What every operation takes and can answer.</p>
<article>
<h4>Request headers</h4>
${parameterTable(headers)}
<h4>Errors</h4>
${errorTable(byStatus)}
</article>
</section>`;
}

function statusOf({ content = {} }: ResponseObject): string {
  const status = content['application/problem+json']?.schema.properties?.['status'];
  return typeof status === 'object' ? String(status.const) : '';
}

function schemas({ components }: ApiDocument): Html {
  const articles = Object.entries(components.schemas).map(([name, schema]) =>
    schemaArticle(name, schema),
  );
  return html`<section id="schemas">
<h2>Schemas</h2>
<p class="lead">The objects that requests and answers are made of.</p>
${articles}
</section>`;
}

function schemaArticle(name: string, schema: JsonSchema): Html {
  const { description, properties } = schema;
  return html`<article id="${schemaAnchor(name)}">
<h3><a class="anchor" href="#${schemaAnchor(name)}">${name}</a></h3>
${description === undefined ? undefined : paragraphs(description)}
${properties === undefined ? html`<p>${typeText(schema)}</p>` : memberTable(schema)}
</article>`;
}
