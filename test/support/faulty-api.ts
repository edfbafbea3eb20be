/** An API whose store fails when a test says so, ended with the test that made it. */
import { onTestFinished } from 'vitest';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { type Api, createApi } from './api.ts';
import { createFaultyStore, type FaultyStore } from './faulty-store.ts';

export function createFaultyApi(): { readonly api: Api; readonly store: FaultyStore } {
  const stores: FaultyStore[] = [];
  const api = createApiOn((log) => {
    const store = createFaultyStore(log);
    stores.push(store);
    return store.log;
  });
  const [store] = stores;
  if (store === undefined) throw new Error('the API was made without its store');
  return { api, store };
}

/** An API on a store of which some methods always fail with this error. */
export function createBrokenApi(error: Error, ...methods: readonly (keyof LogStore)[]): Api {
  const fail = () => Promise.reject(error);
  return createApiOn((log) => ({
    ...log,
    ...Object.fromEntries(methods.map((name) => [name, fail])),
  }));
}

/** An API on a store that a test has put something in front of. */
export function createApiOn(wrapLog: (log: LogStore) => LogStore): Api {
  const api = createApi({ wrapLog });
  onTestFinished(() => api.close());
  return api;
}
