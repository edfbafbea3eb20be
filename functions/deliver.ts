/** What is to happen at its time, once a minute. No rule with a time of its own is built yet: nothing is ever due. */
import { scheduled } from './scheduled.ts';

export const handler = scheduled('delivered', async () => {
  return { done: 0, failed: 0, overdueMs: 0, trimmed: [] };
});
