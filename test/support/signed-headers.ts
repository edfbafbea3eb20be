/**
 * The headers by which a request is known to be of somebody (AWS Signature Version 4). What is signed is the
 * line, the host and the body: no other header, so that any may be sent. By hand, since the SDK signs no
 * line that is written in another way than its own.
 */
import { createHash, createHmac } from 'node:crypto';
import process from 'node:process';

export interface Signing {
  readonly service: 'execute-api' | 'lambda';
  readonly region: string;
  readonly credentials: Credentials;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SignedRequest {
  readonly method: string;
  readonly host: string;
  /** With its query. */
  readonly path: string;
  readonly body: Uint8Array | undefined;
}

/** Undefined where nobody is named. */
export function signingOf(environment: NodeJS.ProcessEnv = process.env): Signing | undefined {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = environment['AWS_SESSION_TOKEN'];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return {
    service: 'lambda',
    region: environment['AWS_REGION'] ?? 'us-east-1',
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
  };
}

export function signedHeaders(
  { method, host, path, body }: SignedRequest,
  { service, region, credentials }: Signing,
): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = new Date().toISOString().replace(/[-:]|\.[0-9]*/g, '');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const headers = {
    host,
    'x-amz-content-sha256': sha256(body ?? ''),
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).join(';');
  const [pathname = '/', ...query] = path.split('?');
  const canonical = [
    method,
    encodeTwice(pathname),
    canonicalQuery(query.join('?')),
    ...Object.entries(headers).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, text).toString('hex');
  const credential = `${accessKeyId}/${scope.join('/')}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** A path is encoded when it is sent; all services but S3 sign it encoded once more. */
function encodeTwice(pathname: string): string {
  return pathname.split('/').map(encodeBytes).join('/');
}

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return pairs
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return `${encodeOnce(name)}=${encodeOnce(value.join('='))}`;
    })
    .sort()
    .join('&');
}

function encodeOnce(text: string): string {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return encodeBytes(bytes);
}

/** Of text in which each character is a byte. */
function encodeBytes(text: string): string {
  return text.replace(/[^A-Za-z0-9._~-]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(secret: string | Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
