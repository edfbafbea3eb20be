/**
 * Builds the description of the API from the table of routes: nothing is told here that a route does
 * not tell of itself, or that holds for all of them.
 */
import type { z } from 'zod';
import { problem } from '../schemas/problem.ts';
import { describeHeaders, HEADER_SCHEMAS } from './answer-headers.ts';
import type {
  ApiDocument,
  ContentMap,
  DescribedOperation,
  ResponseObject,
} from './api-document.ts';
import { API_INFO, TAGS } from './api-info.ts';
import { curlSample } from './curl-sample.ts';
import { convertSchemas, type JsonSchemas } from './json-schemas.ts';
import {
  asksStore,
  type Content,
  type DescribedAnswer,
  EVERYWHERE,
  type Operation,
} from './operation.ts';
import { describeParameters, pathTemplate, SHARED_PARAMETERS } from './parameters.ts';
import { problemResponses, sharedResponses } from './problem-responses.ts';

export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function buildDocument(routes: readonly DescribedRoute[]): ApiDocument {
  const ofRoutes = routes.flatMap(({ operation }) => operationSchemas(operation));
  const schemas = convertSchemas([problem(), ...HEADER_SCHEMAS.map((make) => make()), ...ofRoutes]);
  return {
    openapi: '3.1.0',
    info: API_INFO,
    servers: [{ url: '/' }],
    security: [],
    tags: TAGS,
    paths: describePaths(routes, schemas),
    components: {
      parameters: SHARED_PARAMETERS,
      headers: describeHeaders(schemas),
      responses: sharedResponses(),
      schemas: schemas.components,
    },
  };
}

function operationSchemas({ query, body, answers }: Operation): z.ZodType[] {
  const contents = [body?.content, ...Object.values(answers).map(({ content }) => content)];
  const described = contents.flatMap((content) => Object.values(content ?? {}));
  return [...(query === undefined ? [] : [query]), ...described.map(({ schema }) => schema())];
}

function describePaths(
  routes: readonly DescribedRoute[],
  schemas: JsonSchemas,
): ApiDocument['paths'] {
  const paths: { [path: string]: { [method: string]: DescribedOperation } } = {};
  for (const route of routes) {
    const template = pathTemplate(route.path);
    paths[template] = {
      ...paths[template],
      [route.method.toLowerCase()]: describeOperation(route, schemas),
    };
  }
  return paths;
}

function describeOperation(
  { method, path, operation }: DescribedRoute,
  schemas: JsonSchemas,
): DescribedOperation {
  const { id, tag, summary, description, body, answers, errors } = operation;
  const described = Object.entries(answers).map(([status, answer]) => {
    return [status, describeAnswer(answer, asksStore(operation), schemas)] as const;
  });
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: describeParameters(path, operation, schemas),
    ...(body && { requestBody: { ...body, content: describeContent(body.content, schemas) } }),
    responses: {
      ...Object.fromEntries(described),
      ...problemResponses([...EVERYWHERE, ...errors], asksStore(operation)),
    },
    'x-codeSamples': [curlSample(method, path, operation)],
  };
}

function describeAnswer(
  { description, headers = [], content }: DescribedAnswer,
  isTimed: boolean,
  schemas: JsonSchemas,
): ResponseObject {
  const names = [
    'X-Request-Id',
    ...(isTimed ? ['Server-Timing'] : []),
    ...headers.map((name) => name.replace('?', '')),
  ];
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  return {
    description,
    headers: Object.fromEntries(references),
    ...(content && { content: describeContent(content, schemas) }),
  };
}

function describeContent(
  content: { readonly [contentType: string]: Content },
  schemas: JsonSchemas,
): ContentMap {
  const described = Object.entries(content).map(([type, { schema, example }]) => {
    const value = { schema: schemas.of(schema()), ...(example !== undefined && { example }) };
    return [type, value] as const;
  });
  return Object.fromEntries(described);
}
