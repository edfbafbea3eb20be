/** An operation's example as a command for a shell. */
import type { CodeSample } from './api-document.ts';
import type { Operation } from './operation.ts';
import { SHARED_PARAMETERS } from './parameters.ts';

/** Where `npm start` listens; the page puts its own origin in its place. */
export const SAMPLE_ORIGIN = 'http://127.0.0.1:4600';

/** The path with the names of the example. */
export function examplePath(path: string): string {
  return path.replaceAll(/:(\w+)/g, (_, name) => String(SHARED_PARAMETERS[name]?.example));
}

export function curlSample(method: string, path: string, { example }: Operation): CodeSample {
  const { query, contentType, body } = example;
  const url = `${SAMPLE_ORIGIN}${examplePath(path)}${query === undefined ? '' : `?${query}`}`;
  // curl sends a body by POST unless told otherwise, and anything else by GET.
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const lines = [
    `curl ${isDefault ? '' : `-X ${method} `}${quoted(url)}`,
    ...(contentType === undefined ? [] : [`  -H ${quoted(`content-type: ${contentType}`)}`]),
    ...(body === undefined ? [] : [`  -d ${quoted(body)}`]),
  ];
  return { lang: 'Shell', label: 'curl', source: lines.join(' \\\n') };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
