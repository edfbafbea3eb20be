/** An API whose store fails when a test says so, ended with the test that made it. */
import { onTestFinished } from 'vitest';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { type ApiOptions, createApi, type LocalApi } from './api.ts';
import { createFaultyStore, type FaultyStore } from './faulty-store.ts';

export function createFaultyApi(): { readonly api: LocalApi; readonly store: FaultyStore } {
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

/** An API on a store of which these methods always fail with this error. */
export function createBrokenApi(
  error: Error,
  methods: readonly (keyof LogStore)[],
  options: Pick<ApiOptions, 'store'> = {},
): LocalApi {
  const fail = () => Promise.reject(error);
  const broken = Object.fromEntries(methods.map((name) => [name, fail]));
  return createApiOn((log) => ({ ...log, ...broken }), options);
}

/** An API on a store that a test has put something in front of. */
export function createApiOn(
  wrapLog: (log: LogStore) => LogStore,
  options: Pick<ApiOptions, 'store'> = {},
): LocalApi {
  const api = createApi({ wrapLog, ...options });
  onTestFinished(() => api.close());
  return api;
}

/** What only the store on objects can do is asked of that one. */
export function storeFor(line: string): Pick<ApiOptions, 'store'> {
  return line.includes('/read-plan') ? { store: 'aws' } : {};
}
