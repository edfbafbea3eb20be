/** The metrics of a server as it runs, and the list of them that is for people: one and the same. */
import { expect, test } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readSource } from '../tidy/source-files.ts';

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
  const shown = [...parseExposition(text)].map(([name, { samples }]) => [
    name,
    labelsOf([...samples.keys()][0] ?? ''),
  ]);
  const listed = [...readSource('lib/README.md').text.matchAll(ROW)].map(
    ([, name = '', labels = '']) => [name, labels],
  );

  expect(listed.toSorted()).toEqual(shown.toSorted());
});

function labelsOf(sample: string): string {
  const names = [...sample.matchAll(/[{,]([a-z_]+)="/g)].map(([, name]) => name);
  return names.filter((name) => name !== 'le').join(', ');
}
