/** Which requests are sent again, how often, how far apart, and what is said of their effect. */
import { expect, test } from 'vitest';
import { type AwsRequest, createAwsCalls } from '../../lib/aws/aws-call.ts';
import { createAwsMetrics } from '../../lib/aws/aws-metrics.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createManualClock, settle } from '../support/manual-clock.ts';

type Effect = AwsRequest<unknown>['effect'];

const NO_EFFECT = named('ThrottlingException');
const CONFLICT = named('TransactionConflictException');
const UNKNOWN = named('InternalServerError');
const DENIED = named('CredentialsProviderError');
const NEVER = new Promise<never>(() => undefined);

function named(name: string): Error {
  return Object.assign(new Error('made up'), { name });
}

/** `jitter` is the part of the longest pause that is waited. */
function createCalls(jitter: number) {
  const clock = createManualClock(0);
  const meter = createPrometheusMeter();
  const hex = Math.floor(jitter * 0xffffffff).toString(16);
  const random = { hex128: () => hex.padStart(8, '0').padEnd(32, '0') };
  const calls = createAwsCalls({ clock, random, metrics: createAwsMetrics(meter) });
  return { calls, clock, meter, send: calls.operation('dynamodb', 'UpdateItem') };
}

/** Fails with the errors one after the other, then answers. */
function failing(errors: readonly unknown[], effect: Effect) {
  const left = [...errors];
  const request = {
    effect,
    sent: 0,
    async send() {
      request.sent++;
      const error = left.shift();
      if (error !== undefined) throw error;
      return 'answer';
    },
  };
  return request;
}

async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  return await answer.catch(({ name, message, kind, sideEffects }) =>
    name === 'StoreError' ? `${kind} ${sideEffects}: ${message}` : `${name}: ${message}`,
  );
}

interface Case {
  readonly effect: Effect;
  readonly met: string;
  readonly errors: readonly unknown[];
  /** An answer, or the side effects and the code of the error. */
  readonly outcome: string;
  readonly sent: number;
}

function times(count: number, error: Error): Error[] {
  return Array.from({ length: count }, () => error);
}

const POSSIBLE = 'unavailable possible: UpdateItem failed: InternalServerError';
const NONE = 'unavailable none: UpdateItem failed:';

test.each<Case>([
  { effect: 'once', met: 'an unknown effect', errors: [UNKNOWN], outcome: POSSIBLE, sent: 1 },
  { effect: 'once', met: 'no effect', errors: times(3, NO_EFFECT), outcome: 'answer', sent: 4 },
  {
    effect: 'once',
    met: 'no effect, again and again',
    errors: times(9, NO_EFFECT),
    outcome: `${NONE} ThrottlingException`,
    sent: 4,
  },
  {
    effect: 'once',
    met: 'seven conflicts',
    errors: times(7, CONFLICT),
    outcome: 'answer',
    sent: 8,
  },
  {
    effect: 'once',
    met: 'a conflict that stays',
    errors: times(9, CONFLICT),
    outcome: `${NONE} TransactionConflictException`,
    sent: 8,
  },
  {
    effect: 'once',
    met: 'no effect, then an unknown one',
    errors: [NO_EFFECT, UNKNOWN],
    outcome: POSSIBLE,
    sent: 2,
  },
  {
    effect: 'once',
    met: 'a refusal to serve',
    errors: [DENIED],
    outcome: `${NONE} CredentialsProviderError`,
    sent: 1,
  },
  {
    effect: 'repeatable',
    met: 'an unknown effect, three times',
    errors: times(3, UNKNOWN),
    outcome: 'answer',
    sent: 4,
  },
  {
    effect: 'repeatable',
    met: 'an unknown effect, then none',
    errors: [UNKNOWN, ...times(3, NO_EFFECT)],
    outcome: 'unavailable possible: UpdateItem failed: ThrottlingException',
    sent: 4,
  },
  {
    effect: 'repeatable',
    met: 'an unknown effect that stays',
    errors: times(4, UNKNOWN),
    outcome: POSSIBLE,
    sent: 4,
  },
  {
    effect: 'none',
    met: 'an unknown end that stays',
    errors: times(4, UNKNOWN),
    outcome: `${NONE} InternalServerError`,
    sent: 4,
  },
  {
    effect: 'none',
    met: 'a fault of this program',
    errors: [named('ValidationException')],
    outcome: 'Error: UpdateItem failed: ValidationException',
    sent: 1,
  },
])('$effect meets $met', async ({ effect, errors, outcome, sent }) => {
  const { send } = createCalls(0);
  const request = failing(errors, effect);

  expect(await outcomeOf(send(request))).toEqual(outcome);
  expect(request.sent).toBe(sent);
});

test.each<[Effect, string, number]>([
  ['once', 'timeout possible: UpdateItem failed: AttemptTimeout', 1],
  ['none', 'timeout none: UpdateItem failed: AttemptTimeout', 4],
])('%s: what never answers is given up after five seconds', async (effect, outcome, sent) => {
  const { send, clock } = createCalls(0);
  const signals: AbortSignal[] = [];
  const answer = outcomeOf(
    send({
      effect,
      send(signal) {
        signals.push(signal);
        return NEVER;
      },
    }),
  );
  for (let attempt = 1; attempt <= sent; attempt++) {
    await settle();
    await clock.advance(4_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([
      ...Array(attempt - 1).fill(true),
      false,
    ]);
    await clock.advance(1);
  }

  expect(await answer).toBe(outcome);
  expect(signals.map(({ aborted }) => aborted)).toEqual(Array(sent).fill(true));
  expect(clock.waiting()).toBe(0);
});

test('nothing is sent again twenty seconds after the first', async () => {
  const { calls, clock } = createCalls(0);
  const request = { effect: 'none', sent: 0, send: () => NEVER } as const;
  const signals: AbortSignal[] = [];
  const send = (signal: AbortSignal) => {
    signals.push(signal);
    return NEVER;
  };
  const answer = outcomeOf(calls.operation('s3', 'GetObject')({ ...request, send }));
  await clock.advance(15_000);
  await clock.advance(15_000);

  expect(await answer).toBe('timeout none: GetObject failed: AttemptTimeout');
  expect(signals).toHaveLength(2);
});

test('pauses double, by chance shorter, up to a second', async () => {
  const { send, clock } = createCalls(0.5);
  const request = failing([UNKNOWN, UNKNOWN, UNKNOWN], 'none');
  const answer = send(request);
  for (const [pauseMs, sent] of [
    [25, 2],
    [50, 3],
    [100, 4],
  ] as const) {
    await settle();
    await clock.advance(pauseMs - 1);
    expect(request.sent).toBe(sent - 1);
    await clock.advance(1);
    expect(request.sent).toBe(sent);
  }

  expect(await answer).toBe('answer');
});

test('closing ends pauses: what waits to be sent again fails', async () => {
  const { calls, send, clock } = createCalls(1);
  const request = failing([UNKNOWN], 'none');
  const answer = outcomeOf(send(request));
  await settle();
  expect(clock.waiting()).toBe(1);
  calls.close();

  expect(await answer).toBe('unavailable none: UpdateItem failed: InternalServerError');
  expect(request.sent).toBe(1);
});

test('an error that stands for an answer is one, and counted as a refusal', async () => {
  const { send, meter } = createCalls(0);
  const refused = named('ConditionalCheckFailedException');
  const request = {
    ...failing([refused], 'once' as const),
    refusal: (error: unknown) => (error === refused ? { answer: 'refused' } : undefined),
  };

  expect(await send(request)).toBe('refused');
  expect(await outcomeOf(send(failing([NO_EFFECT, UNKNOWN], 'once')))).toMatch('possible');
  expect(await send(failing([], 'once'))).toBe('answer');
  expect(countsOf(meter.exposition())).toEqual([
    'varve_aws_requests_total{service="dynamodb",operation="UpdateItem",outcome="done"} 1',
    'varve_aws_requests_total{service="dynamodb",operation="UpdateItem",outcome="failed"} 1',
    'varve_aws_requests_total{service="dynamodb",operation="UpdateItem",outcome="refused"} 1',
    'varve_aws_requests_total{service="dynamodb",operation="UpdateItem",outcome="throttled"} 1',
    'varve_aws_request_seconds_count{service="dynamodb",operation="UpdateItem"} 4',
  ]);
});

function countsOf(exposition: string): string[] {
  const lines = exposition.split('\n');
  const total = lines.filter((line) => line.startsWith('varve_aws_requests_total{'));
  return [...total, ...lines.filter((line) => line.startsWith('varve_aws_request_seconds_count'))];
}
