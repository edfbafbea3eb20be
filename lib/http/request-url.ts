/**
 * Whether it is clear to whom a request goes. Its URL is made of its path and its `Host` and may be none;
 * a path that is a whole URL names a host of its own, and who serves it by another one serves whom the
 * guard of SPEC A6 has not seen.
 */
import type { IncomingHttpHeaders } from 'node:http';

export function isClearUrl(
  url: string,
  {
    target,
    headers,
  }: { readonly target: string | undefined; readonly headers: IncomingHttpHeaders },
): boolean {
  if (target?.startsWith('/')) return URL.canParse(url);
  return URL.parse(url)?.host === URL.parse(`http://${headers.host}`)?.host;
}
