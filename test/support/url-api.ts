/**
 * The HTTP API at an address, as tests use it: requests go out as they are written, dots and escapes too,
 * signed for IAM where there are credentials. Behind each test its exchanges and streams are removed, so one test
 * at a time may use an address.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { type Api, type CallOptions, readAnswer, sentOf } from './api.ts';
import { type Signing, signedHeaders } from './signed-headers.ts';

/** Half of 10^5 ms, to either side: two clocks and a busy machine, but no clock that stands. */
const TIME_DIGITS = -5;
const WITHOUT_BODY: readonly number[] = [204, 304];
/** What a connection or a front adds is not of the API. */
const ADDED = /^(?:connection|content-length|date|keep-alive|transfer-encoding|x-amzn-.*)$/;

export interface UrlApiOptions {
  /** With what the paths of the API begin there. */
  readonly url: string;
  readonly signing?: Signing;
}

export function createUrlApi({ url, signing }: UrlApiOptions): Api {
  const { protocol, host, hostname, port, pathname } = new URL(url);
  const { Agent, request } = protocol === 'https:' ? https : http;
  const prefix = pathname.replace(/\/$/, '');
  const agent = new Agent({ keepAlive: true });
  let hasWritten = false;

  const open = async (line: string, options: CallOptions = {}) => {
    const { method, headers, body, ...sent } = sentOf(line, options);
    const path = `${prefix}${sent.path}`;
    const signed = signing && signedHeaders({ method, host, path, body }, signing);
    const outgoing = request({
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...signed, ...(body && { 'content-length': String(body.length) }) },
      ...(options.signal && { signal: options.signal }),
    });
    outgoing.end(body);
    const answer = toResponse(await answerOf(outgoing), method);
    if (answer.ok && method !== 'GET' && method !== 'HEAD') hasWritten = true;
    return answer;
  };
  const call: Api['call'] = async (line, options) => await readAnswer(await open(line, options));
  return {
    open,
    call,
    timeNow: () => expect.closeTo(Date.now(), TIME_DIGITS),
    async close() {
      if (hasWritten) await removeAll(call);
      agent.destroy();
    },
  };
}

function answerOf(outgoing: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', resolve);
  });
}

function toResponse(incoming: http.IncomingMessage, method: string): Response {
  const { statusCode: status = 0 } = incoming;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    if (!ADDED.test(name)) for (const value of values) headers.append(name, value);
  }
  if (method !== 'HEAD' && !WITHOUT_BODY.includes(status)) {
    return new Response(Readable.toWeb(incoming), { status, headers });
  }
  incoming.resume();
  return new Response(null, { status, headers });
}

/** All that there are: whatever a test has made was made by one that could have been here alone. */
export async function removeAll(call: Api['call']): Promise<void> {
  for (const kind of ['exchanges', 'streams']) await removeEach(call, `/v1/${kind}`);
}

async function removeEach(call: Api['call'], list: string): Promise<void> {
  for (;;) {
    const answer = await call(`GET ${list}?limit=1000`);
    const { items }: { items?: readonly { readonly name: string }[] } = answer.json();
    if (items === undefined) throw new Error(`${list} is no list: ${answer.text}`);
    if (items.length === 0) return;
    for (const { name } of items) {
      const { status, text } = await call(`DELETE ${list}/${encodeURIComponent(name)}`);
      if (status !== 204 && status !== 404) throw new Error(`${name} is not deleted: ${text}`);
    }
  }
}
