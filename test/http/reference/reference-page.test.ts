/** The page is made of what the description says, and nothing in that can become markup. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROUTES } from '../../../lib/http/app.ts';
import { buildDocument } from '../../../lib/http/openapi/build-document.ts';
import { html } from '../../../lib/http/reference/html.ts';
import { renderReference } from '../../../lib/http/reference/reference-page.ts';

const document = buildDocument(ROUTES);
const ORIGIN = 'http://varve.example:80';
const EVIL = `"><script>alert('&')</script>`;
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;';

test('a value in a template stays text, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<>&"\'a') }), (text) => {
      const escaped = html`${text}`.text;

      expect(escaped).not.toMatch(/[<>"']/);
      expect(
        escaped
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&'),
      ).toBe(text);
    }),
  );
});

test('HTML in a template stays HTML, and lists are joined', () => {
  expect(html`<p>${[html`<b>1</b>`, ' < ', 2, undefined]}</p>`.text).toBe('<p><b>1</b> &lt; 2</p>');
});

test('every text of the description is escaped on the page', () => {
  // Each string becomes one that would break out of wherever it stands.
  const poisoned = JSON.parse(
    JSON.stringify(document, (name, value) =>
      typeof value === 'string' && !name.startsWith('$') && !['type', 'in'].includes(name)
        ? `${value}${EVIL}`
        : value,
    ),
  );
  const page = renderReference(poisoned, ORIGIN);

  expect(page).not.toContain('<script>');
  expect(page.split(ESCAPED).length).toBeGreaterThan(500);
});

test('everything that the description says of an operation stands on the page', () => {
  const page = renderReference(document, ORIGIN).replaceAll(/<[^>]+>/g, '');
  const plain = (text: string) => html`${text}`.text.replaceAll('`', '');
  const texts = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ summary, description, parameters, requestBody, responses }) => [
      summary,
      ...description.split('\n\n'),
      ...parameters.flatMap((one) => ('$ref' in one ? [] : [one.name, one.description])),
      ...Object.keys(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap((one) =>
        '$ref' in one || one.content?.['application/problem+json'] ? [] : [one.description],
      ),
    ]);

  expect(texts.length).toBeGreaterThan(100);
  expect(texts.filter((text) => !page.includes(plain(text)))).toEqual([]);
});

test('examples call the place where the reader came from', () => {
  const page = renderReference(document, ORIGIN);

  expect(page).toContain(`curl &#39;${ORIGIN}/v1/streams/orders`);
  expect(page).not.toContain('127.0.0.1');
});
