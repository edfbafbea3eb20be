/** The API of the stage, as whoever has the policy for clients reaches it by one of its two fronts. */
import { onTestFinished } from 'vitest';
import type { Api } from '../../support/api.ts';
import { createUrlApi } from '../../support/url-api.ts';
import { type Credentials, OWNER, REGION } from './account.ts';
import { stageOfRun } from './stage.ts';

/** What is written by it goes with the test. */
export function functionUrlApi(credentials: Credentials = stageOfRun().client): Api {
  const signing = { service: 'lambda', region: REGION, credentials } as const;
  const api = createUrlApi({ url: stageOfRun().functionUrl, signing });
  onTestFinished(() => api.close());
  return api;
}

/** Served by another function than the Function URL. The policy for clients is not for this front. */
export function httpApi(): Api {
  const signing = { service: 'execute-api', region: REGION, credentials: OWNER } as const;
  const api = createUrlApi({ url: stageOfRun().httpApiUrl, signing });
  onTestFinished(() => api.close());
  return api;
}
