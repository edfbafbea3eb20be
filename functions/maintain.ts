/** Upkeep of the store, once a minute. */
import { scheduled } from './scheduled.ts';

export const handler = scheduled('maintained', ({ store }, signal) =>
  store.maintenance.run(signal),
);
