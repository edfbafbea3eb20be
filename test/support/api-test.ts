/**
 * `test` with an API of its own for each test: `test('…', async ({ api }) => …)`. In this process, or at the
 * address that VARVE_TEST_URL names: then what needs this process is left out, and says why (`inProcess`).
 */
import process from 'node:process';
import { test as base, expect } from 'vitest';
import { type ApiOptions, createApi } from './api.ts';
import { frontLimit } from './front-limits.ts';
import { signingOf } from './signed-headers.ts';
import { createUrlApi } from './url-api.ts';

const NO_OPTIONS: ApiOptions = {};

/** One for each worker of the run, apart by spaces: a test has its deployment for itself. */
function urlOfWorker(): string | undefined {
  const urls = (process.env['VARVE_TEST_URL'] ?? '').split(' ').filter((url) => url !== '');
  if (urls.length === 0) return undefined;

  const worker = Number(process.env['VITEST_POOL_ID'] ?? '1');
  const url = urls[worker - 1];
  if (url === undefined) throw new Error(`VARVE_TEST_URL names no address for worker ${worker}`);
  return url;
}

const url = urlOfWorker();

/** Of what the API does wherever it is. In this process nothing of it may be logged as a fault. */
export const test = base.extend('api', ({ skip, task }, { onCleanup }) => {
  if (url === undefined) {
    const local = createApi();
    onCleanup(async () => {
      await local.close();
      expect(local.errors).toEqual([]);
    });
    return local;
  }
  const limit = frontLimit(task);
  if (limit !== undefined) skip(limit.why);
  const signing = signingOf();
  const api = createUrlApi({ url, ...(signing && { signing }) });
  onCleanup(() => api.close());
  return api;
});

/** What a test needs of this process. */
type Need =
  | 'its hand on the clock'
  | 'faults in the store'
  | 'a look behind the API'
  | 'options of its own'
  | 'a server of its own'
  | 'nothing between it and the API'
  | 'a front that vouches for nobody'
  | 'thousands of requests';

/** Of what there is in this process alone: with the clock, the components, and options of its own. */
export function inProcess(need: Need) {
  return base
    .extend('apiOptions', NO_OPTIONS)
    .extend('isHere', { auto: true }, ({ skip }) => {
      if (url !== undefined) skip(`in process only: it needs ${need}`);
      return true;
    })
    .extend('api', ({ apiOptions }, { onCleanup }) => {
      const api = createApi(apiOptions);
      onCleanup(() => api.close());
      return api;
    });
}
