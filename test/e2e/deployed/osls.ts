/** Deploys the stage `local` to an emulator and removes it, as `npm run deploy` does, and nowhere else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { OWNER, REGION } from './account.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OSLS = fileURLToPath(import.meta.resolve('osls/bin/serverless.js'));

export async function osls(command: 'deploy' | 'remove', endpoint: string): Promise<void> {
  const child = spawn(process.execPath, [OSLS, command, '--stage', 'local', '--region', REGION], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: OWNER.accessKeyId,
      AWS_SECRET_ACCESS_KEY: OWNER.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
      SLS_AWS_MONITORING_FREQUENCY: '200',
      SLS_TELEMETRY_DISABLED: '1',
      SLS_NOTIFICATIONS_MODE: 'off',
    },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`osls ${command} ended with ${code}`);
}
