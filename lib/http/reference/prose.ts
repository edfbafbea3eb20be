/** Descriptions as HTML: paragraphs with a blank line between them, code in backticks. */
import { type Html, html } from './html.ts';

export function paragraphs(text: string): readonly Html[] {
  return text.split(/\n\n+/).map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

export function inline(text: string): readonly Html[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
