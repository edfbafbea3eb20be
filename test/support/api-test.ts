/** `test` with an API of its own for each test: `test('…', async ({ api }) => …)`. */
import { test as base } from 'vitest';
import { type ApiOptions, createApi } from './api.ts';

const NO_OPTIONS: ApiOptions = {};

export const test = base
  .extend('apiOptions', NO_OPTIONS)
  .extend('api', ({ apiOptions }, { onCleanup }) => {
    const api = createApi(apiOptions);
    onCleanup(() => api.close());
    return api;
  });
