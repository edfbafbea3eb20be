/** What tests of consumers do over and over, on the stream `s`. */
import type { Api } from './api.ts';
import { STREAM, told } from './publish-steps.ts';

type Told = Promise<Record<string, unknown>>;

export function consumerPath(name: string): string {
  return `${STREAM}/consumers/${encodeURIComponent(name)}`;
}

/** `PUT` of `{next}`, or of the body. */
export async function store(api: Api, name: string, wanted: number | object): Told {
  const body = typeof wanted === 'number' ? { next: wanted } : wanted;
  return told(await api.call(`PUT ${consumerPath(name)}`, { body }));
}

export async function ack(api: Api, name: string, through: number): Told {
  return told(await api.call(`POST ${consumerPath(name)}/ack`, { body: { through } }));
}

export async function show(api: Api, name: string): Told {
  return told(await api.call(`GET ${consumerPath(name)}`));
}

/** What is stored, or the code of the answer that says that nothing is. */
export async function storedOf(api: Api, name: string): Promise<unknown> {
  const { status, next, code } = await show(api, name);
  return status === 200 ? next : code;
}

export async function listed(api: Api, query = ''): Promise<readonly string[]> {
  const answer = await api.call(`GET ${STREAM}/consumers?limit=1000${query}`);
  const { items }: { items?: readonly { readonly name: string }[] } = answer.json();
  if (items === undefined) throw new Error(`no list: ${answer.text}`);
  return items.map(({ name }) => name);
}
