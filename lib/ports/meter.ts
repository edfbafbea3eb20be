/**
 * Counts what the service does, for whoever watches it. A series is made once and kept by whoever counts,
 * so that an event costs a call and looks no label up. Labels have few values: never a name, a path or
 * any other text that a client chose.
 */

export interface Metric {
  /** `varve_…` with its unit last; a counter then ends in `_total`. Registered once a meter. */
  readonly name: string;
  readonly help: string;
}

export interface LabelledMetric<Label extends string> extends Metric {
  readonly labels: readonly Label[];
}

/** The upper ends of the buckets, rising; a last one without end is added. */
export interface Buckets {
  readonly bounds: readonly number[];
}

export interface Counter {
  /** Never a negative amount. */
  add(amount: number): void;
}

/** What goes up and down. */
export interface Gauge {
  add(amount: number): void;
  value(): number;
}

export interface Histogram {
  observe(value: number): void;
}

export interface Family<Label extends string, Series> {
  /** The same series for the same labels. */
  with(labels: { readonly [Name in Label]: string }): Series;
}

/** A value that is there anyway, asked for when somebody looks. */
export interface Reading extends Metric {
  readonly kind: 'counter' | 'gauge';
  readonly labels?: { readonly [name: string]: string };
}

export interface Meter {
  counter(metric: Metric): Counter;
  counters<Label extends string>(metric: LabelledMetric<Label>): Family<Label, Counter>;
  gauge(metric: Metric): Gauge;
  histogram(metric: Metric & Buckets): Histogram;
  histograms<Label extends string>(
    metric: LabelledMetric<Label> & Buckets,
  ): Family<Label, Histogram>;
  reading(metric: Reading, read: () => number): void;
}
