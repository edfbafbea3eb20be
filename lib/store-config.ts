/** The settings of the store: a folder of this machine, or a bucket and a table of AWS. */
import { parseDuration } from './core/log/duration.ts';

export type StoreConfig =
  | {
      readonly kind: 'embedded';
      /** Its folder. */
      readonly data: string;
    }
  | {
      readonly kind: 'aws';
      readonly bucket: string;
      readonly table: string;
      readonly region: string;
      /** Of both services, where they are not those of the region: an emulator. */
      readonly endpoint?: string;
    };

export interface SettingSource {
  /** Arguments by name, without their dashes. */
  readonly flags: {
    readonly [name: string]: string | boolean | readonly (string | boolean)[] | undefined;
  };
  readonly environment: { readonly [name: string]: string | undefined };
}

interface Rejected {
  readonly kind: 'reject';
  readonly reason: string;
}

const DATA_DEFAULT = '.varve';
/** A sync of a disk takes no longer than waiting would; a commit to objects takes 65 ms or more. */
const LINGER_DEFAULT = { embedded: '0ms', aws: '20ms' };
/** A pass over nothing is a look at a file; on AWS it is charged, and a scheduled function passes too. */
const MAINTAIN_EVERY_DEFAULT = { embedded: '10s', aws: '60s' };
const MAINTAIN_EVERY_MS_MIN = 100;
/** Beyond this a publisher waits longer for others than for the store. */
const LINGER_MS_MAX = 1_000;

export function parseStore(
  source: SettingSource,
): { readonly kind: 'ok'; readonly store: StoreConfig } | Rejected {
  const kind = setting(source, 'store') ?? 'embedded';
  if (kind === 'aws') return parseAws(source);
  if (kind !== 'embedded') return reject(`--store must be embedded or aws, not ${show(kind)}`);

  const data = setting(source, 'data') ?? DATA_DEFAULT;
  if (data === '') return reject('--data must be a folder');
  return { kind: 'ok', store: { kind, data } };
}

function parseAws(source: SettingSource) {
  const { AWS_REGION: region, AWS_ENDPOINT_URL: endpoint } = source.environment;
  const [bucket, table] = [setting(source, 'bucket'), setting(source, 'table')];
  if (!bucket) return reject('--store aws needs --bucket: the S3 bucket of the stage');
  if (!table) return reject('--store aws needs --table: the DynamoDB table of the stage');
  if (!region) return reject('--store aws needs AWS_REGION in the environment');
  if (endpoint && !URL.canParse(endpoint)) {
    return reject(`AWS_ENDPOINT_URL is no URL: ${show(endpoint)}`);
  }
  const store = { kind: 'aws' as const, bucket, table, region, ...(endpoint && { endpoint }) };
  return { kind: 'ok' as const, store };
}

export function parseLinger(
  source: SettingSource,
  kind: StoreConfig['kind'],
): { readonly kind: 'ok'; readonly ms: number } | Rejected {
  const parsed = parseDuration(setting(source, 'linger') ?? LINGER_DEFAULT[kind]);
  if (parsed.kind === 'reject') return reject(`--linger: ${parsed.reason}`);
  if (parsed.ms <= LINGER_MS_MAX) return parsed;
  return reject(`--linger is ${parsed.ms}ms: at most ${LINGER_MS_MAX}ms are taken`);
}

/** How long what is due by time waits at most for somebody to do it. */
export function parseMaintainEvery(
  source: SettingSource,
  kind: StoreConfig['kind'],
): { readonly kind: 'ok'; readonly ms: number } | Rejected {
  const parsed = parseDuration(setting(source, 'maintain-every') ?? MAINTAIN_EVERY_DEFAULT[kind]);
  if (parsed.kind === 'reject') return reject(`--maintain-every: ${parsed.reason}`);
  if (parsed.ms >= MAINTAIN_EVERY_MS_MIN) return parsed;
  return reject(
    `--maintain-every is ${parsed.ms}ms: at least ${MAINTAIN_EVERY_MS_MIN}ms are taken`,
  );
}

/** An argument goes before its environment variable. */
function setting({ flags, environment }: SettingSource, name: string): string | undefined {
  const flag = flags[name];
  return typeof flag === 'string'
    ? flag
    : environment[`VARVE_${name.toUpperCase().replaceAll('-', '_')}`];
}

function show(text: string): string {
  return JSON.stringify(text);
}

function reject(reason: string): Rejected {
  return { kind: 'reject', reason };
}
