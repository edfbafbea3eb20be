/** Filters that are wrong: nothing is read, and the part at fault is named. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { createFiltered, readByBody } from '../support/filter-steps.ts';
import { told } from '../support/publish-steps.ts';
import { read } from '../support/read-steps.ts';

describe('what is wrong is 400 and named:', () => {
  test.for([
    ['foo,', 'filter'],
    [',foo', 'filter'],
    ['foo,,bar', 'filter'],
    ['foo, ,bar', 'filter'],
    [',', 'filter'],
    ['', 'filter'],
    ['["foo",""]', 'filter[1]'],
    ['{"x-stream-filter":"foo,"}', 'filter.x-stream-filter'],
    ['{"x-stream-filter": 5}', 'filter.x-stream-filter'],
    ['{"x-stream-filter": ["a"]}', 'filter.x-stream-filter'],
    ['{"geo-bbox": "40,41"}', 'filter.geo-bbox'],
    ['{"geo-polygon": []}', 'filter.geo-polygon'],
    [
      '[{"geo-within-radius":{"lat":1,"lon":2,"radius_km":0}}]',
      'filter[0].geo-within-radius.radius_km',
    ],
  ] as const)('F8: filter=%s', async ([filter, field], { api }) => {
    await createFiltered(api);
    const wrong = { status: 400, code: 'invalid_filter', field };

    for (const match of ['all', 'any']) {
      const answer = await read(api, { filter, match });
      expect(told(answer)).toMatchObject(wrong);
      expect(answer.json()['detail']).toContain(field);
    }
    const written =
      filter.startsWith('{') || filter.startsWith('[') ? filter : JSON.stringify(filter);
    expect(told(await readByBody(api, {}, written))).toMatchObject(wrong);
    expect(told(await read(api, { filter, as: 'sse' }))).toMatchObject(wrong);
  });

  test.for(['5', 'true', 'null', '[5]'])(
    'F1 F8: the filter %s of a body',
    async (filter, { api }) => {
      await createFiltered(api);

      expect(told(await readByBody(api, {}, filter))).toMatchObject({
        status: 400,
        code: 'invalid_filter',
      });
    },
  );

  test.for([
    ['match', 'some'],
    ['match', '1'],
    ['match', ''],
    ['match_unfiltered', 'yes'],
    ['match_unfiltered', '1'],
  ])('F4 F5 F8: %s=%s', async ([field = '', value = ''], { api }) => {
    await createFiltered(api);
    const wrong = { status: 400, code: 'invalid_request', field };

    for (const filter of ['foo', undefined]) {
      expect(told(await read(api, { filter, [field]: value }))).toMatchObject(wrong);
    }
    const members = { [field]: value === '1' ? 1 : value };
    expect(told(await readByBody(api, members, '"foo"'))).toMatchObject(wrong);
  });

  test('F8: a filter given twice', async ({ api }) => {
    await createFiltered(api);
    const answer = await api.call('GET /v1/streams/s/messages?filter=a&filter=b');

    expect(told(answer)).toMatchObject({ status: 400, field: 'filter' });
  });

  test('F8: a text that begins like JSON', async ({ api }) => {
    await createFiltered(api);
    const answer = await read(api, { filter: '{"a":' });

    expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_filter', field: 'filter' });
  });
});
