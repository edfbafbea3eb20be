/** The metrics of a server as it runs, and the list of them that is for people: one and the same. */
import { expect, test } from 'vitest';
import { createAwsMetrics } from '../../lib/aws/aws-metrics.ts';
import { createStoreMetrics } from '../../lib/aws/store-metrics.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { parseExposition } from '../support/exposition.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readSource } from '../tidy/source-files.ts';

const OF_AWS = /^varve_(?:aws|lost|audit)_/;
/** Rows of the table: the name, and the labels in braces. */
const ROW = /^\| `(varve_[a-z0-9_]+)(?:\{([a-z, ]+)\})?` \|/gm;

test('every metric is listed, and every one that is listed is there', async () => {
  using folder = temporaryFolder();
  const server = await startServerProcess({ data: folder.path });
  const stream = `${server.url}/v1/streams/s/messages`;
  await fetch(`${stream}?create=true`, { method: 'POST', body: 'x' });
  await fetch(`${stream}?from=x`);
  const answer = await fetch(`${server.url}/metrics`);
  const text = await answer.text();
  await server.end('SIGTERM');

  expect(listed().filter(([name]) => !OF_AWS.test(name))).toEqual(shownIn(text));
});

test('so is every one of a store on S3 and DynamoDB', () => {
  const meter = createPrometheusMeter();
  createAwsMetrics(meter).operation('s3', 'GetObject').ended('done', 1);
  createStoreMetrics(meter);

  expect(listed().filter(([name]) => OF_AWS.test(name))).toEqual(shownIn(meter.exposition()));
});

type Metric = readonly [name: string, labels: string];

function listed(): readonly Metric[] {
  const rows = [...readSource('lib/README.md').text.matchAll(ROW)];
  return rows.map(([, name = '', labels = '']): Metric => [name, labels]).toSorted();
}

function shownIn(exposition: string): readonly Metric[] {
  return [...parseExposition(exposition)]
    .map(([name, { samples }]): Metric => [name, labelsOf([...samples.keys()][0] ?? '')])
    .toSorted();
}

function labelsOf(sample: string): string {
  const names = [...sample.matchAll(/[{,]([a-z_]+)="/g)].map(([, name]) => name);
  return names.filter((name) => name !== 'le').join(', ');
}
