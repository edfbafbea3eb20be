/** A table of errors by status: the codes it can carry, and what each means. */
import type { DescribedOperation } from '../openapi/api-document.ts';
import { type Html, html } from './html.ts';

type Response = DescribedOperation['responses'][string];

/** Leaves out what is no error, and what is told once for all operations. */
export function errorTable(responses: readonly (readonly [string, Response])[]): Html {
  const rows = responses.flatMap(([status, response]) => {
    if ('$ref' in response || response['x-errors'] === undefined) return [];
    return Object.entries(response['x-errors']).map(([code, title], index) =>
      row(index === 0 ? status : undefined, code, title),
    );
  });
  return html`<table class="errors"><tbody>${rows}</tbody></table>`;
}

/** The status stands with its first code alone. */
function row(status: string | undefined, code: string, title: string): Html {
  const group = status === undefined ? html` class="more"` : undefined;
  return html`<tr${group}><td class="status">${status}</td><th scope="row"><code>${code}</code></th><td>${title}</td></tr>`;
}
