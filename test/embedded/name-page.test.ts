import { expect, test } from 'vitest';
import { openDatabase } from '../../lib/embedded/database.ts';
import { PAGE } from '../../lib/embedded/name-page.ts';

test.each([
  [
    'streams',
    `SELECT * FROM stream WHERE ${PAGE}`,
    'SEARCH stream USING INDEX sqlite_autoindex_stream_1 (name>?)',
  ],
  [
    'publishers',
    `SELECT * FROM publisher WHERE stream = 1 AND ${PAGE}`,
    'SEARCH publisher USING PRIMARY KEY (stream=? AND name>?)',
  ],
])('a page of %s enters the index where it begins and sorts nothing', (_what, sql, plan) => {
  const database = openDatabase(':memory:');
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();

  expect(steps.map(({ detail }) => detail)).toEqual([plan]);
});
