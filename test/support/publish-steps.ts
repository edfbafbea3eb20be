/** What tests of publishing do over and over, on the stream `s`. */
import type { Answer, Api } from './api.ts';

export const STREAM = '/v1/streams/s';

export async function createStream(api: Api, settings: object = {}): Promise<void> {
  const answer = await api.call(`PUT ${STREAM}`, { body: settings });
  if (answer.status !== 201) throw new Error(`no stream: ${answer.text}`);
}

/** Messages of plain text, one for each body. */
export function texts(...bodies: readonly string[]): { readonly text: string }[] {
  return bodies.map((text) => ({ text }));
}

/** As many messages as wanted: `0`, `1`, … */
export function numbered(count: number, first = 0): { readonly text: string }[] {
  return texts(...Array.from({ length: count }, (_, index) => String(first + index)));
}

/** Publishes the envelope `{messages, options}`. */
export function publish(
  api: Api,
  messages: readonly object[],
  options: object = {},
): Promise<Answer> {
  return api.call(`POST ${STREAM}/messages`, { body: { messages, ...options } });
}

export interface ReadMessage {
  readonly offset: number;
  readonly [member: string]: unknown;
}

export async function readMessages(api: Api, stream = STREAM): Promise<readonly ReadMessage[]> {
  const answer = await api.call(`GET ${stream}/messages?limit=10000&max_bytes=4194304`);
  const page: { messages?: readonly ReadMessage[] } = answer.json();
  if (page.messages === undefined) throw new Error(`no messages: ${answer.text}`);
  return page.messages;
}

/** The bodies of all messages that were published as text, in order. */
export async function readTexts(api: Api): Promise<readonly unknown[]> {
  return (await readMessages(api)).map(({ text }) => text);
}

export async function nextOffset(api: Api): Promise<unknown> {
  return (await api.call(`GET ${STREAM}`)).json()['next'];
}

/** The status beside the members: what a refusal is recognised by. */
export function told(answer: Answer): Record<string, unknown> {
  return { ...answer.json(), status: answer.status };
}
