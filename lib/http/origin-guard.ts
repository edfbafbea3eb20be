/**
 * Keeps web pages away from a log without authentication (SPEC A6): a page on any site can send
 * requests to this machine, but it cannot choose their `Host` or `Origin`.
 */
import { LogError } from '../services/log-error.ts';

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

export function refuseForeign(headers: Headers): void {
  const host = headers.get('host');
  if (host !== null && !isLoopbackHost(host)) throw foreign('Host', host);

  const origin = headers.get('origin');
  if (origin !== null && !isLoopbackOrigin(origin, host)) throw foreign('Origin', origin);
}

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.has(host.replace(/:[0-9]{1,5}$/, '').toLowerCase());
}

/** The server's own origin: the very host that the request went to. Another port is another site. */
function isLoopbackOrigin(origin: string, host: string | null): boolean {
  return host !== null && origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

function foreign(header: string, value: string): LogError {
  return new LogError(
    `${header} ${JSON.stringify(value.slice(0, 255))} is foreign: without authentication only this machine is served (start with --insecure to allow others)`,
    { code: 'foreign_origin' },
  );
}
