/** A built function behind one of its fronts, as tests call it. */
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { StreamHandler } from '../../functions/runtime.ts';
import { builtFunctions } from './built-functions.ts';
import {
  type BufferedHandler,
  type FrontOptions,
  installRuntime,
  type RunningFront,
  startFunctionUrl,
  startHttpApi,
} from './lambda-runtime.ts';

export interface FrontAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly bytes: Buffer;
  readonly text: string;
}

export interface CallOptions {
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
}

/** Short waits, so that what ends by itself does so soon. */
const ENVIRONMENT = {
  VARVE_BUCKET: 'bucket',
  VARVE_TABLE: 'table',
  AWS_REGION: 'local',
  VARVE_FUNCTION_WAIT_MAX: '400ms',
  VARVE_FUNCTION_FOLLOW_MAX: '1s',
};

export async function serveFunction(
  front: 'function-url' | 'http-api',
  options: FrontOptions = {},
): Promise<RunningFront> {
  Object.assign(process.env, ENVIRONMENT);
  installRuntime();
  const api = (await builtFunctions()).load('api');
  return front === 'function-url'
    ? await startFunctionUrl(api['handler'] as StreamHandler, options)
    : await startHttpApi(api['buffered'] as BufferedHandler, options);
}

/** The path goes out as it is: `fetch` would resolve dots in it. `call(front, 'GET /v1/streams')` */
export async function call(
  { port }: RunningFront,
  line: string,
  { headers = {}, body }: CallOptions = {},
): Promise<FrontAnswer> {
  const [method = 'GET', path = '/'] = line.split(' ', 2);
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const all = { ...headers, ...length };
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers: all, agent: false });
  // As bytes: Node would write text and the head in one encoding.
  outgoing.end(body === undefined ? undefined : Buffer.from(body));
  return await new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      const { statusCode = 0, headers: given } = incoming;
      buffer(incoming).then(
        (bytes) =>
          resolve({ status: statusCode, headers: given, bytes, text: bytes.toString('utf8') }),
        reject,
      );
    });
  });
}

export function jsonOf({ text }: FrontAnswer): Record<string, unknown> {
  return JSON.parse(text);
}
