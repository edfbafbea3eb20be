/** The text that Prometheus scrapes, byte for byte. */
import { expect, test } from 'vitest';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { parseExposition } from '../support/exposition.ts';

function filledMeter(order: 'first' | 'last') {
  const meter = createPrometheusMeter();
  const plain = meter.counter({ name: 'varve_b_total', help: 'Plain.' });
  const labelled = meter.counters({
    name: 'varve_a_total',
    help: 'A \\ and\na line.',
    labels: ['code', 'way'],
  });
  const gauge = meter.gauge({ name: 'varve_open', help: 'Open.' });
  const seconds = meter.histogram({ name: 'varve_seconds', help: 'Took.', bounds: [0.1, 1] });
  const sizes = meter.histograms({
    name: 'varve_bytes',
    help: 'Size.',
    labels: ['way'],
    bounds: [2],
  });
  meter.counters({ name: 'varve_none_total', help: 'Nothing yet.', labels: ['code'] });
  const info = { version: '1', node: '24' };
  meter.reading({ name: 'varve_info', help: 'Info.', kind: 'gauge', labels: info }, () => 1);
  meter.reading({ name: 'varve_read_total', help: 'Read.', kind: 'counter' }, () => 2.5);
  const steps = [
    () => plain.add(3),
    () => labelled.with({ code: 'x', way: 'in' }).add(1),
    () => labelled.with({ way: 'a "quoted" \\ one\n', code: 'x' }).add(2),
    () => gauge.add(-1),
    () => sizes.with({ way: 'out' }).observe(2),
    () => sizes.with({ way: 'in' }).observe(3),
  ];
  for (const step of order === 'first' ? steps : steps.toReversed()) step();
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value);
  return meter;
}

const EXPECTED = `# HELP varve_a_total A \\\\ and\\na line.
# TYPE varve_a_total counter
varve_a_total{code="x",way="a \\"quoted\\" \\\\ one\\n"} 2
varve_a_total{code="x",way="in"} 1
# HELP varve_b_total Plain.
# TYPE varve_b_total counter
varve_b_total 3
# HELP varve_bytes Size.
# TYPE varve_bytes histogram
varve_bytes_bucket{way="in",le="2"} 0
varve_bytes_bucket{way="in",le="+Inf"} 1
varve_bytes_sum{way="in"} 3
varve_bytes_count{way="in"} 1
varve_bytes_bucket{way="out",le="2"} 1
varve_bytes_bucket{way="out",le="+Inf"} 1
varve_bytes_sum{way="out"} 2
varve_bytes_count{way="out"} 1
# HELP varve_info Info.
# TYPE varve_info gauge
varve_info{version="1",node="24"} 1
# HELP varve_none_total Nothing yet.
# TYPE varve_none_total counter
# HELP varve_open Open.
# TYPE varve_open gauge
varve_open -1
# HELP varve_read_total Read.
# TYPE varve_read_total counter
varve_read_total 2.5
# HELP varve_seconds Took.
# TYPE varve_seconds histogram
varve_seconds_bucket{le="0.1"} 2
varve_seconds_bucket{le="1"} 3
varve_seconds_bucket{le="+Inf"} 4
varve_seconds_sum 7.65
varve_seconds_count 4
`;

test('shows families by name and series by label, escaped, a bound inside its bucket', () => {
  expect(filledMeter('first').exposition()).toBe(EXPECTED);
});

test('shows the same whatever came first', () => {
  expect(filledMeter('last').exposition()).toBe(EXPECTED);
});

test('is read by a strict reader', () => {
  expect([...parseExposition(EXPECTED).keys()]).toEqual([
    'varve_a_total',
    'varve_b_total',
    'varve_bytes',
    'varve_info',
    'varve_none_total',
    'varve_open',
    'varve_read_total',
    'varve_seconds',
  ]);
});

test('gives the same series for the same labels', () => {
  const meter = createPrometheusMeter();
  const family = meter.counters({ name: 'varve_a_total', help: 'A.', labels: ['a', 'b'] });

  expect(family.with({ a: '1', b: '2' })).toBe(family.with({ b: '2', a: '1' }));
  expect(family.with({ a: '1', b: '2' })).not.toBe(family.with({ a: '2', b: '1' }));
});

test('takes a name once', () => {
  const meter = createPrometheusMeter();
  meter.gauge({ name: 'varve_a', help: 'A.' });

  expect(() => meter.counter({ name: 'varve_a', help: 'B.' })).toThrow('registered twice');
});

test.each([
  ['a type without help', '# TYPE varve_a gauge\n'],
  ['a sample without a type', 'varve_a 1\n'],
  ['a sample of another family', '# HELP varve_a A.\n# TYPE varve_a gauge\nvarve_b 1\n'],
  ['a sample twice', '# HELP varve_a A.\n# TYPE varve_a gauge\nvarve_a 1\nvarve_a 2\n'],
  ['a counter without its ending', '# HELP varve_a A.\n# TYPE varve_a counter\nvarve_a 1\n'],
  ['no end of line', '# HELP varve_a A.\n# TYPE varve_a gauge\nvarve_a 1'],
  ['a quote that is open', '# HELP varve_a A.\n# TYPE varve_a gauge\nvarve_a{a="b} 1\n'],
  [
    'buckets that fall',
    '# HELP varve_a A.\n# TYPE varve_a histogram\nvarve_a_bucket{le="1"} 2\nvarve_a_bucket{le="+Inf"} 1\nvarve_a_sum 1\nvarve_a_count 1\n',
  ],
  [
    'no last bucket',
    '# HELP varve_a A.\n# TYPE varve_a histogram\nvarve_a_bucket{le="1"} 2\nvarve_a_sum 1\nvarve_a_count 2\n',
  ],
])('the strict reader refuses %s', (_, text) => {
  expect(() => parseExposition(text)).toThrow();
});
