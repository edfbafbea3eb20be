/**
 * Invokes a function of Lambda and does not wait for what it does. One signed request (AWS Signature Version 4) by
 * hand: a third client of the SDK would make every start of the API slower, for a call that few requests make.
 */
import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import { StoreError } from '../ports/store-error.ts';
import { utcText } from './utc-text.ts';

export interface InvokeOptions {
  readonly region: string;
  readonly functionName: string;
  /** Of an emulator. */
  readonly endpoint?: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  credentials(): Promise<Credentials>;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** What is invoked for looks by itself within a minute: nobody may wait long for this. */
const LIMIT_MS = 2_000;
const SERVICE = 'lambda';

export function createInvoke(options: InvokeOptions): () => Promise<void> {
  const { region, functionName, endpoint = `https://lambda.${region}.amazonaws.com` } = options;
  const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
  const url = new URL(path, endpoint);
  return async () => {
    const headers = signedHeaders(url, options, await options.credentials());
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: '',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    await answer.body?.cancel();
    if (answer.ok) return;
    throw new StoreError(`invoking ${functionName} was answered with ${answer.status}`, {
      kind: 'unavailable',
      sideEffects: 'possible',
    });
  };
}

export function signedHeaders(
  { host, pathname }: Pick<URL, 'host' | 'pathname'>,
  { region, clock }: Pick<InvokeOptions, 'region' | 'clock'>,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
): Record<string, string> {
  const time = utcText(clock.nowMs());
  const scope = [time.slice(0, 8), region, SERVICE, 'aws4_request'];
  const headers = {
    host,
    'x-amz-date': time,
    'x-amz-invocation-type': 'Event',
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).join(';');
  const request = [
    'POST',
    // Each part of the path is encoded once more in what is signed.
    pathname.replaceAll('%', '%25'),
    '',
    ...Object.entries(headers).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(''),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n');
  let key: Buffer | string = `AWS4${secretAccessKey}`;
  for (const part of scope) key = hmac(key, part);
  const credential = `Credential=${accessKeyId}/${scope.join('/')}`;
  const signature = hmac(key, text).toString('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
