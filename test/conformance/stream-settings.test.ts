/** The settings of a stream: declared, declared again, changed, refused. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { createStream, STREAM, told } from '../support/publish-steps.ts';

const DEFAULTS = {
  max_age: { value: null, source: 'default' },
  max_length: { value: null, source: 'default' },
  max_length_bytes: { value: null, source: 'default' },
  allow_drop_past_committed: { value: false, source: 'default' },
  consumer_limit: { value: 100_000, source: 'default' },
  deduplication: { value: null, source: 'default' },
  segment_max_bytes: { value: 67_108_864, source: 'default' },
  segment_max_age: { value: '1D', source: 'default' },
};

test('T17: a declaration without settings has all the defaults', async ({ api }) => {
  const declared = await api.call(`PUT ${STREAM}`);

  expect(told(declared)).toEqual({
    status: 201,
    name: 's',
    stream_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    created_at: api.timeNow(),
    settings: {},
    effective_settings: DEFAULTS,
    first: 0,
    next: 0,
    messages: 0,
    bytes: 0,
    segments: 0,
    oldest: null,
    held_by: [],
    retention: { oldest: null, kept: 'empty', why: 'nothing is retained' },
  });
  expect(told(await api.call(`GET ${STREAM}`))).toEqual({ ...told(declared), status: 200 });
});

test('T17: settings are shown as they were declared, and where they come from', async ({ api }) => {
  const declared = await api.call(`PUT ${STREAM}`, {
    body: { segment_max_bytes: 1_000, segment_max_age: '24h' },
  });

  expect(told(declared)).toMatchObject({
    status: 201,
    settings: { segment_max_bytes: 1_000, segment_max_age: '1D' },
    effective_settings: {
      segment_max_bytes: { value: 1_000, source: 'argument' },
      segment_max_age: { value: '1D', source: 'argument' },
    },
  });
  const listed: { items?: unknown } = (await api.call('GET /v1/streams')).json();
  expect(listed.items).toMatchObject([{ name: 's', settings: { segment_max_age: '1D' } }]);
});

describe('declared again', () => {
  const SETTINGS = { segment_max_bytes: 1_000, segment_max_age: '1D' };

  test.for<[string, object, object]>([
    ['the same', SETTINGS, SETTINGS],
    ['the same age in hours', SETTINGS, { ...SETTINGS, segment_max_age: '24h' }],
    ['the same age in milliseconds', SETTINGS, { ...SETTINGS, segment_max_age: 86_400_000 }],
    ['nothing, as before', {}, {}],
    ['null, for what was left out', {}, { segment_max_bytes: null }],
    ['the default, for what was left out', {}, { segment_max_age: '1D' }],
    ['nothing, for the default', { segment_max_age: '1D' }, {}],
  ])('T17: with %s it changes nothing', async ([, settings, again], { api }) => {
    await createStream(api, settings);
    const before = (await api.call(`GET ${STREAM}`)).json();

    expect(told(await api.call(`PUT ${STREAM}`, { body: again }))).toEqual({
      ...before,
      status: 200,
    });
  });

  test.for<[string, object, object]>([
    [
      'another size',
      { ...SETTINGS, segment_max_bytes: 1_001 },
      { field: 'segment_max_bytes', expected: 1_001, actual: 1_000 },
    ],
    [
      'another age',
      { ...SETTINGS, segment_max_age: '25h' },
      { field: 'segment_max_age', expected: '25h', actual: '1D' },
    ],
    [
      'a size left out, which means the default',
      { segment_max_age: '1D' },
      { field: 'segment_max_bytes', expected: 67_108_864, actual: 1_000 },
    ],
    [
      'an empty object, which means all defaults',
      {},
      { field: 'segment_max_bytes', expected: 67_108_864, actual: 1_000 },
    ],
  ])('T17: with %s it is refused, naming both', async ([, again, difference], { api }) => {
    await createStream(api, SETTINGS);
    const before = (await api.call(`GET ${STREAM}`)).json();

    expect(told(await api.call(`PUT ${STREAM}`, { body: again }))).toMatchObject({
      status: 409,
      code: 'settings_mismatch',
      ...difference,
    });
    expect((await api.call(`GET ${STREAM}`)).json()).toEqual(before);
  });

  test('T17: without a body it is to exist, whatever its settings', async ({ api }) => {
    await createStream(api, SETTINGS);

    expect(told(await api.call(`PUT ${STREAM}`))).toMatchObject({
      status: 200,
      settings: SETTINGS,
    });
  });

  test('T17: by many at once it is created once', async ({ api }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.call(`PUT ${STREAM}`, { body: SETTINGS })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.json()['stream_id'])).size).toBe(1);
  });
});

describe('PATCH', () => {
  test('T17: changes what it names and leaves the rest', async ({ api }) => {
    await createStream(api, { segment_max_bytes: 1_000 });
    const change = async (body: object) => told(await api.call(`PATCH ${STREAM}`, { body }));

    expect(await change({ segment_max_age: '60m' })).toMatchObject({
      status: 200,
      settings: { segment_max_bytes: 1_000, segment_max_age: '1h' },
    });
    expect(await change({ segment_max_bytes: null })).toMatchObject({
      settings: { segment_max_age: '1h' },
      effective_settings: {
        ...DEFAULTS,
        segment_max_age: { value: '1h', source: 'argument' },
      },
    });
    expect(await change({})).toMatchObject({ status: 200, settings: { segment_max_age: '1h' } });
    const shown = (await api.call(`GET ${STREAM}`)).json();
    expect(shown['settings']).toEqual({ segment_max_age: '1h' });
  });

  test('T17: is what a declaration is compared with', async ({ api }) => {
    await createStream(api, { segment_max_bytes: 1_000 });
    await api.call(`PATCH ${STREAM}`, { body: { segment_max_bytes: 7 } });

    expect((await api.call(`PUT ${STREAM}`, { body: { segment_max_bytes: 7 } })).status).toBe(200);
    expect((await api.call(`PUT ${STREAM}`, { body: { segment_max_bytes: 1_000 } })).status).toBe(
      409,
    );
  });

  test('T17: of two at once each changes its own', async ({ api }) => {
    await createStream(api);
    await Promise.all([
      api.call(`PATCH ${STREAM}`, { body: { segment_max_bytes: 5 } }),
      api.call(`PATCH ${STREAM}`, { body: { segment_max_age: '5m' } }),
    ]);

    expect((await api.call(`GET ${STREAM}`)).json()['settings']).toEqual({
      segment_max_bytes: 5,
      segment_max_age: '5m',
    });
  });

  test('T17: needs a stream, and something to change', async ({ api }) => {
    expect((await api.call(`PATCH ${STREAM}`, { body: {} })).status).toBe(404);
    await createStream(api);
    expect(told(await api.call(`PATCH ${STREAM}`))).toMatchObject({ status: 400 });
  });
});

/** Settings of queues, which a stream does not have. */
const OF_QUEUES = {
  dead_letter_exchange: 'dlx',
  dead_letter_routing_key: 'k',
  expires: 1_000,
  delivery_limit: 3,
  overflow: 'drop-head',
  single_active_consumer: true,
  max_priority: 5,
  message_ttl: 1_000,
  exclusive: true,
  auto_delete: true,
  durable: false,
};

describe('a setting is refused by name, and nothing created or changed', () => {
  const rows = (code: string, settings: object): [string, string, unknown][] =>
    Object.entries(settings).map(([field, value]) => [code, field, value]);
  const sizes = [0, -1, 1.5, 2 ** 53, '1000', '1k', true, [], {}].map(
    (value): [string, string, unknown] => ['invalid_setting', 'segment_max_bytes', value],
  );
  const ages = [0, '0s', '', '1d', '1', '1.5h', '-1h', ' 1h', -1, 1.5, 2 ** 53, true, {}].map(
    (value): [string, string, unknown] => ['invalid_setting', 'segment_max_age', value],
  );
  const limits = [-1, 1.5, 2 ** 53, '100', true, [], {}].flatMap(
    (value): [string, string, unknown][] => [
      ['invalid_setting', 'max_length', value],
      ['invalid_setting', 'max_length_bytes', value],
    ],
  );
  const counts = [0, -1, 1.5, '5', true].map((value): [string, string, unknown] => [
    'invalid_setting',
    'consumer_limit',
    value,
  ]);
  const flags = ['true', 0, 1, {}].map((value): [string, string, unknown] => [
    'invalid_setting',
    'allow_drop_past_committed',
    value,
  ]);
  const maxAges = ['0s', '10', '1D2', '1d', '1DD', '-1D', '1 D', 0, true].map(
    (value): [string, string, unknown] => ['invalid_setting', 'max_age', value],
  );

  test.for([
    ...rows('invalid_setting', OF_QUEUES),
    ...limits,
    ...flags,
    ...counts,
    ...maxAges,
    ...rows('invalid_request', { segment_bytes: 1, Segment_max_bytes: 1, '': 1 }),
    ...sizes,
    ...ages,
  ])('T16 T17: %s: %s %j', async ([code, field, value], { api }) => {
    const body = { [field]: value };
    const refused = { status: 400, code, field, side_effects: 'none' };

    expect(told(await api.call(`PUT ${STREAM}`, { body }))).toMatchObject(refused);
    expect((await api.call(`GET ${STREAM}`)).status).toBe(404);
    await createStream(api, { segment_max_bytes: 77 });
    const change = { segment_max_age: '1h', ...body };
    expect(told(await api.call(`PATCH ${STREAM}`, { body: change }))).toMatchObject(refused);
    expect((await api.call(`GET ${STREAM}`)).json()['settings']).toEqual({ segment_max_bytes: 77 });
  });
});

describe('the smallest and the largest values', () => {
  test.for<[object, object]>([
    [{ segment_max_bytes: Number.MAX_SAFE_INTEGER }, { segment_max_bytes: 9_007_199_254_740_991 }],
    [{ segment_max_bytes: 1 }, { segment_max_bytes: 1 }],
    [{ segment_max_age: '10Y' }, { segment_max_age: '10Y' }],
    [{ segment_max_age: 1 }, { segment_max_age: '1ms' }],
    [{ segment_max_age: Number.MAX_SAFE_INTEGER }, { segment_max_age: '9007199254740991ms' }],
  ])('T17: %j is taken', async ([settings, shown], { api }) => {
    const answer = await api.call(`PUT ${STREAM}`, { body: settings });

    expect(told(answer)).toMatchObject({ status: 201, settings: shown });
  });
});
