/**
 * Keeps web pages away from a log without authentication (SPEC A6): a page on any site can send
 * requests to this machine, but it cannot choose their `Host` or `Origin`.
 */
import { LogError } from '../services/log-error.ts';
import type { CrossOrigin } from './cross-origin.ts';

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

export function refuseForeign(headers: Headers, crossOrigin: CrossOrigin): void {
  const host = headers.get('host');
  if (host !== null && !isLoopbackHost(host)) {
    throw foreign('Host', host, 'start with --insecure to allow others');
  }
  const origin = headers.get('origin');
  if (origin === null || isLoopbackOrigin(origin, host) || crossOrigin.admits(origin)) return;
  throw foreign('Origin', origin, 'start with --cors-origin to allow a page');
}

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.has(host.replace(/:[0-9]{1,5}$/, '').toLowerCase());
}

/** The server's own origin: the very host that the request went to. Another port is another site. */
function isLoopbackOrigin(origin: string, host: string | null): boolean {
  return host !== null && origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

function foreign(header: string, value: string, remedy: string): LogError {
  return new LogError(
    `${header} ${JSON.stringify(value.slice(0, 255))} is foreign: without authentication only this machine is served (${remedy})`,
    { code: 'foreign_origin' },
  );
}
