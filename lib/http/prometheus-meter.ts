/**
 * A meter that shows its series in the text format of Prometheus, version 0.0.4: families by name,
 * series by their labels, so that two looks at the same counts give the same bytes.
 */
import { assert } from '../core/assert.ts';
import type {
  Buckets,
  Counter,
  Family,
  Gauge,
  Histogram,
  LabelledMetric,
  Meter,
  Metric,
} from '../ports/meter.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface PrometheusMeter extends Meter {
  /** All families, those without a series too. */
  exposition(): string;
}

type Kind = 'counter' | 'gauge' | 'histogram';

/** One or more lines for a name and its labels, given as `a="b",c="d"`. */
interface Series {
  lines(name: string, labels: string): readonly string[];
}

interface Shown {
  readonly kind: Kind;
  readonly help: string;
  lines(): readonly string[];
}

export function createPrometheusMeter(): PrometheusMeter {
  const shown = new Map<string, Shown>();
  const show = ({ name, help }: Metric, kind: Kind, lines: () => readonly string[]) => {
    assert(!shown.has(name), () => `metric ${name} is registered twice`);
    shown.set(name, { kind, help, lines });
  };
  const single = <One extends Series>(metric: Metric, kind: Kind, series: One): One => {
    show(metric, kind, () => series.lines(metric.name, ''));
    return series;
  };
  const labelled = <Label extends string, One extends Series>(
    metric: LabelledMetric<Label>,
    kind: Kind,
    make: () => One,
  ): SeriesFamily<Label, One> => {
    const family = new SeriesFamily(metric, make);
    show(metric, kind, () => family.lines());
    return family;
  };
  return {
    counter: (metric) => single(metric, 'counter', new Value()),
    counters: (metric) => labelled(metric, 'counter', () => new Value()),
    gauge: (metric) => single(metric, 'gauge', new Value()),
    histogram: (metric) => single(metric, 'histogram', new Distribution(metric)),
    histograms: (metric) => labelled(metric, 'histogram', () => new Distribution(metric)),
    reading: (metric, read) =>
      show(metric, metric.kind, () => [
        line(metric.name, labelText(Object.entries(metric.labels ?? {})), read()),
      ]),
    exposition: () => [...shown].sort(byName).flatMap(familyLines).join('\n').concat('\n'),
  };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function familyLines([name, { kind, help, lines }]: readonly [string, Shown]): readonly string[] {
  return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${kind}`, ...lines()];
}

class SeriesFamily<Label extends string, One extends Series> implements Family<Label, One> {
  readonly #metric: LabelledMetric<Label>;
  readonly #make: () => One;
  readonly #series = new Map<string, One>();

  constructor(metric: LabelledMetric<Label>, make: () => One) {
    this.#metric = metric;
    this.#make = make;
  }

  with(labels: { readonly [Name in Label]: string }): One {
    const text = labelText(this.#metric.labels.map((name) => [name, labels[name]]));
    const series = this.#series.get(text) ?? this.#make();
    this.#series.set(text, series);
    return series;
  }

  lines(): readonly string[] {
    return [...this.#series]
      .sort(byName)
      .flatMap(([labels, series]) => series.lines(this.#metric.name, labels));
  }
}

class Value implements Counter, Gauge, Series {
  #value = 0;

  add(amount: number): void {
    this.#value += amount;
  }

  value(): number {
    return this.#value;
  }

  lines(name: string, labels: string): readonly string[] {
    return [line(name, labels, this.#value)];
  }
}

class Distribution implements Histogram, Series {
  readonly #bounds: readonly number[];
  /** Of each bucket alone, the last one without end; the format adds up those below. */
  readonly #counts: number[];
  #sum = 0;

  constructor({ bounds }: Buckets) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  lines(name: string, labels: string): readonly string[] {
    let count = 0;
    const buckets = this.#counts.map((inBucket, index) => {
      count += inBucket;
      const le = numberText(this.#bounds[index] ?? Number.POSITIVE_INFINITY);
      return line(`${name}_bucket`, joined(labels, labelText([['le', le]])), count);
    });
    return [
      ...buckets,
      line(`${name}_sum`, labels, this.#sum),
      line(`${name}_count`, labels, count),
    ];
  }
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}`;
}

function joined(labels: string, last: string): string {
  return labels === '' ? last : `${labels},${last}`;
}

function labelText(labels: readonly (readonly [name: string, value: string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',');
}

function escapeLabel(value: string): string {
  return escapeHelp(value).replaceAll('"', '\\"');
}

function escapeHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
