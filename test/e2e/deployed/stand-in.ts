/** The built function on a runtime that streams, in a process of its own, on the emulator's S3 and DynamoDB. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createAwsStore } from '../../support/aws-store.ts';
import { OWNER, REGION } from './account.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface StandIn {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startStandIn(endpoint: string): Promise<StandIn> {
  const store = await createAwsStore();
  const child = spawn(
    process.execPath,
    ['--no-warnings', 'test/support/lambda-runtime.ts', 'dist/api.js', 'url'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        AWS_ENDPOINT_URL: endpoint,
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: OWNER.accessKeyId,
        AWS_SECRET_ACCESS_KEY: OWNER.secretAccessKey,
        VARVE_BUCKET: store.bucket,
        VARVE_TABLE: store.table,
      },
    },
  );
  const gone = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await gone;
    await store.drop();
  };
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^listens on (.*)$/.exec(line) ?? [];
    // What it logs from now on is of tests that ask for faults.
    child.stdout.resume();
    if (url !== undefined) return { url, stop };
    process.stderr.write(`${line}\n`);
  }
  await stop();
  throw new Error('the stand-in does not start');
}
