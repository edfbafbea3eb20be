/** What runs by the clock, invoked as the schedule does, on work that fell due hours ago. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { expect, onTestFinished, test } from 'vitest';
import { openAws } from '../../../../lib/aws/open-aws.ts';
import { offset, streamId } from '../../../../lib/core/log/ids.ts';
import { streamPrefix } from '../../../../lib/format/object-key.ts';
import { createPrometheusMeter } from '../../../../lib/http/prometheus-meter.ts';
import { createSystemClock } from '../../../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../../../lib/process/system-random.ts';
import { batchOf, streamName } from '../../../support/batches.ts';
import { createStream, readTexts, STREAM } from '../../../support/publish-steps.ts';
import { range } from '../../../support/read-steps.ts';
import { ownerOf } from '../account.ts';
import { openBucket } from '../bucket.ts';
import { STACK, stageOfRun } from '../stage.ts';
import { functionUrlApi } from '../stage-api.ts';

const { endpoint, bucket, table } = stageOfRun();
const LATE_MS = 3 * 3_600_000;

async function invoke(name: 'deliver' | 'maintain') {
  const lambda = new LambdaClient(ownerOf(endpoint));
  const { FunctionError, LogResult = '' } = await lambda.send(
    new InvokeCommand({ FunctionName: `${STACK}-${name}`, LogType: 'Tail', Payload: '{}' }),
  );
  const lines = Buffer.from(LogResult, 'base64').toString().split('\n');
  return { error: FunctionError, lines: lines.flatMap(fieldsOf) };
}

/** Beside those of the function stand those of its runtime. */
function fieldsOf(line: string): readonly Record<string, unknown>[] {
  const start = line.indexOf('{"level"');
  return start < 0 ? [] : [JSON.parse(line.slice(start))];
}

/** The store of the stage, for whom it is three hours ago: what it leaves for later is due by now. */
function openLate() {
  const clock = createSystemClock();
  const store = openAws(
    { ...ownerOf(endpoint), bucket, table },
    {
      clock: { ...clock, nowMs: () => clock.nowMs() - LATE_MS },
      random: createSystemRandom(),
      meter: createPrometheusMeter(),
      telemetry: { error: (event, { error }) => expect.fail(`${event}: ${error}`) },
    },
  );
  onTestFinished(() => store.close());
  return store;
}

test('T11: upkeep removes what was dropped, and the objects that held nothing else', async () => {
  const api = functionUrlApi();
  // A segment is removed when all of it was dropped.
  await createStream(api, { segment_max_bytes: 1 });
  const id = streamId(String((await api.call(`GET ${STREAM}`)).json()['stream_id']));
  const { log } = openLate();
  for (const n of range(0, 10)) {
    const append = { stream: streamName('s'), timeMs: Date.now() - LATE_MS };
    await log.commit([{ ...append, batch: batchOf(`${2 * n}`, `${2 * n + 1}`) }]);
  }
  await log.trim(id, offset(13));
  const { names } = openBucket();
  const before = await names(streamPrefix(id));
  const { error, lines } = await invoke('maintain');

  expect({ error, lines }).toEqual({
    error: undefined,
    lines: [
      {
        level: 'info',
        event: 'maintained',
        done: expect.any(Number),
        failed: 0,
        overdue_ms: 0,
        took_ms: expect.any(Number),
      },
    ],
  });
  expect(lines[0]?.['done']).toBeGreaterThan(0);
  expect(before).toHaveLength(10);
  // The seventh object holds offsets 12 and 13, of which one is left.
  // What is retained was packed as well.
  const left = await names(streamPrefix(id));
  expect(left.filter((name) => name.includes('/c/'))).toEqual(before.slice(6));
  expect(await readTexts(api)).toEqual(range(13, 20).map(String));
});

test('what is to happen at its time is looked for, and nothing is due', async () => {
  expect(await invoke('deliver')).toEqual({
    error: undefined,
    lines: [
      {
        level: 'info',
        event: 'delivered',
        done: 0,
        failed: 0,
        overdue_ms: 0,
        took_ms: expect.any(Number),
      },
    ],
  });
});
