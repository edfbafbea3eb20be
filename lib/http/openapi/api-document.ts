/** The OpenAPI 3.1 document as far as the service uses it: what is built, and what its page shows. */
import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

interface Reference {
  readonly $ref: string;
}

export interface ApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  /** None yet: whoever reaches the server may call it. */
  readonly security: readonly [];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: DescribedOperation } };
  readonly components: {
    readonly parameters: { readonly [name: string]: Parameter };
    readonly headers: { readonly [name: string]: HeaderObject };
    readonly responses: { readonly [name: string]: ResponseObject };
    readonly schemas: { readonly [name: string]: JsonSchema };
  };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: { readonly [status: string]: ResponseObject | Reference };
  readonly 'x-codeSamples': readonly [CodeSample];
}

export interface CodeSample {
  readonly lang: 'Shell';
  readonly label: 'curl';
  readonly source: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface RequestBodyObject {
  readonly required: boolean;
  readonly description?: string;
  readonly content: ContentMap;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: { readonly [name: string]: Reference };
  readonly content?: ContentMap;
  /** Of a problem: the codes it can carry, and what each means. */
  readonly 'x-errors'?: { readonly [code: string]: string };
}

export interface ContentMap {
  readonly [contentType: string]: { readonly schema: JsonSchema; readonly example?: unknown };
}

export interface HeaderObject {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}
