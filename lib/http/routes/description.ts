/**
 * `/v1/openapi.json` and `/v1/docs`: the description of the API, as a document and as a page. Both are
 * made at the first request for them and kept, since the routes do not change while the service runs.
 */
import type { AnswerHeaders } from '../answer.ts';
import { createEntity, type Entity, entityAnswer, sha256 } from '../entity.ts';
import { refuseQuery } from '../no-query.ts';
import { buildDocument } from '../openapi/build-document.ts';
import { SAMPLE_ORIGIN } from '../openapi/curl-sample.ts';
import { apiDocumentOperation, referenceOperation } from '../operations/service.ts';
import { renderReference } from '../reference/reference-page.ts';
import { STYLE } from '../reference/style.ts';
import type { Route } from '../route.ts';
import { lazy } from '../schemas/lazy.ts';

/** `all` is asked for only when a description is, so that these routes may be among them. */
export function descriptionRoutes(all: () => readonly Route[]): readonly Route[] {
  const document = lazy(() => buildDocument(all()));
  const json = lazy(() => entity(JSON.stringify(document()), 'application/json'));
  let page: (Entity & { readonly origin: string }) | undefined;
  return [
    {
      method: 'GET',
      path: '/v1/openapi.json',
      permission: 'open',
      operation: apiDocumentOperation,
      handle(request) {
        refuseQuery(request.raw.url);
        return entityAnswer(request, json());
      },
    },
    {
      method: 'GET',
      path: '/v1/docs',
      permission: 'open',
      operation: referenceOperation,
      handle(request) {
        refuseQuery(request.raw.url);
        const origin = shownOrigin(request.raw.url);
        if (page?.origin !== origin) {
          page = { ...pageEntity(renderReference(document(), origin)), origin };
        }
        return entityAnswer(request, page);
      },
    },
  ];
}

/** To be kept, but asked for each time: a new version must show at once. */
function entity(text: string, contentType: string, headers: AnswerHeaders = {}): Entity {
  return createEntity(text, {
    'content-type': contentType,
    'cache-control': 'no-cache',
    ...headers,
  });
}

/** Nothing may be loaded, run or framed; the one style is allowed by its hash. */
function pageEntity(text: string): Entity {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return entity(text, 'text/html; charset=utf-8', {
    'referrer-policy': 'no-referrer',
    'content-security-policy': policy.join('; '),
  });
}

/** Where the reader reached the service; examples with anything odd in them would break a shell. */
function shownOrigin(url: string): string {
  const { origin } = new URL(url);
  return /^https?:\/\/[a-z0-9.:[\]-]+$/.test(origin) ? origin : SAMPLE_ORIGIN;
}
