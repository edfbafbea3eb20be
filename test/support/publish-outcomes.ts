/** What a publisher of the client library told, as values that tests compare. */
import { ClientError } from '../../lib/client/client-error.ts';
import { StoreError } from '../../lib/ports/store-error.ts';

/** Nothing was stored. */
export const UNAVAILABLE = new StoreError('full', { kind: 'unavailable', sideEffects: 'none' });
/** It may have been. */
export const TIMED_OUT = new StoreError('late', { kind: 'timeout', sideEffects: 'possible' });

/** What was published, or the code, effects and message of the refusal. */
export async function outcome(published: Promise<object>): Promise<unknown> {
  try {
    return await published;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { code, sideEffects, message } = error;
    return { code, sideEffects, message };
  }
}
