/**
 * The settings of the server process, from its arguments and environment: plain values, checked, with
 * one clear line for what is wrong. An argument goes before its environment variable.
 */
import * as z from 'zod';
import {
  parseLinger,
  parseMaintainEvery,
  parseStore,
  type SettingSource,
  type StoreConfig,
} from './store-config.ts';

export interface ServerConfig {
  readonly port: number;
  readonly host: string;
  readonly store: StoreConfig;
  /** How long the first publish waits for others to share its commit (SPEC P1). */
  readonly lingerMs: number;
  /** How often what is due by time is looked for: retention by age, packing, removal (SPEC T5). */
  readonly maintainEveryMs: number;
  /** Serves other addresses than loopback, and any host and origin (SPEC A6). */
  readonly insecure: boolean;
  /** Pages that may call it (SPEC A6): origins as browsers send them, or `*` alone. */
  readonly corsOrigins: readonly string[];
}

const PORT_DEFAULT = '4600';
const HOST_DEFAULT = '127.0.0.1';
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

const schema = z.object({
  port: z
    .string()
    .regex(/^[0-9]{1,5}$/, 'must be a number from 0 to 65535 (0 takes a free one)')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a number from 0 to 65535 (0 takes a free one)'),
  host: z.string().min(1, 'must be an address to listen on'),
  insecure: z.boolean(),
});

/** What each part of the list must be; the reason says what to write instead, where that can be told. */
function originFault(text: string): string | undefined {
  if (text === '*') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  if (isWeb && url.origin === text) return undefined;
  const hint = isWeb ? url.origin : 'https://app.example';
  return `${JSON.stringify(text)} is no origin of web pages: write scheme, host and port alone, as in ${hint}`;
}

type ParsedOrigins =
  | { readonly kind: 'ok'; readonly origins: readonly string[] }
  | { readonly kind: 'reject'; readonly reason: string };

function parseOrigins({ flags, environment }: SettingSource): ParsedOrigins {
  const given = flags['cors-origin'] ?? (environment['VARVE_CORS_ORIGINS'] || []);
  const origins = [given].flat().flatMap((list) =>
    String(list)
      .split(',')
      .map((part) => part.trim()),
  );
  const reason = origins.map(originFault).find((fault) => fault !== undefined);
  if (reason !== undefined) return { kind: 'reject', reason: `--cors-origin ${reason}` };
  if (!origins.includes('*')) return { kind: 'ok', origins };
  if (origins.length > 1) {
    return { kind: 'reject', reason: '--cors-origin * allows every page: give it alone' };
  }
  if (flags['insecure'] === true) return { kind: 'ok', origins };
  return {
    kind: 'reject',
    reason:
      '--cors-origin * would let every web page read and change the log: name the origins, or add --insecure if that is meant',
  };
}

export type ParsedConfig =
  | { readonly kind: 'ok'; readonly config: ServerConfig }
  | { readonly kind: 'reject'; readonly reason: string };

export function parseConfig(source: SettingSource): ParsedConfig {
  const { flags, environment } = source;
  const result = schema.safeParse({
    port: flags['port'] ?? environment['VARVE_PORT'] ?? PORT_DEFAULT,
    host: flags['host'] ?? environment['VARVE_HOST'] ?? HOST_DEFAULT,
    insecure: flags['insecure'] ?? false,
  });
  if (!result.success) {
    const issue = result.error.issues[0];
    return { kind: 'reject', reason: `--${issue?.path.join('.')} ${issue?.message}` };
  }
  const { host, insecure } = result.data;
  if (!insecure && !LOOPBACK.has(host)) {
    return {
      kind: 'reject',
      reason: `--host ${host} would serve a log without authentication beyond this machine: use 127.0.0.1, or add --insecure if that is meant`,
    };
  }
  const parts = parseParts(source);
  return parts.kind === 'reject'
    ? parts
    : { kind: 'ok', config: { ...result.data, ...parts.config } };
}

type Parts = Pick<ServerConfig, 'corsOrigins' | 'store' | 'lingerMs' | 'maintainEveryMs'>;

function parseParts(
  source: SettingSource,
): { readonly kind: 'ok'; readonly config: Parts } | { readonly kind: 'reject'; reason: string } {
  const parsed = parseOrigins(source);
  if (parsed.kind === 'reject') return parsed;
  const stored = parseStore(source);
  if (stored.kind === 'reject') return stored;
  const linger = parseLinger(source, stored.store.kind);
  if (linger.kind === 'reject') return linger;

  const maintain = parseMaintainEvery(source, stored.store.kind);
  if (maintain.kind === 'reject') return maintain;

  const { origins: corsOrigins } = parsed;
  const times = { lingerMs: linger.ms, maintainEveryMs: maintain.ms };
  return { kind: 'ok', config: { corsOrigins, store: stored.store, ...times } };
}
