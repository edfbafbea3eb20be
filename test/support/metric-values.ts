/** The metrics of an API as numbers: what is not there is told as missing, never as 0. */
import type { Api } from './api.ts';
import { parseExposition } from './exposition.ts';

/** `name{labels}` to its value. */
export type MetricValues = ReadonlyMap<string, number>;

export async function metricValues(api: Api): Promise<MetricValues> {
  const { text } = await api.call('GET /metrics');
  const families = [...parseExposition(text).values()];
  return new Map(families.flatMap(({ samples }) => [...samples]));
}

export async function metricValue(api: Api, sample: string): Promise<number | undefined> {
  return (await metricValues(api)).get(sample);
}

/** The samples of one family that are not 0, by their labels. */
export function ofFamily(values: MetricValues, name: string): Record<string, number> {
  const own = [...values].filter(([sample, value]) => sample.split('{', 1)[0] === name && value);
  return Object.fromEntries(
    own.map(([sample, value]) => [sample.slice(name.length).replace(/^\{(.*)\}$/, '$1'), value]),
  );
}
