/**
 * Reads the text format of Prometheus, strictly: whatever a scraper could trip over, or a careless meter
 * could get wrong, is an error that names its line.
 */

export interface ExposedFamily {
  readonly type: string;
  readonly help: string;
  /** By `name{labels}` as they stand. */
  readonly samples: ReadonlyMap<string, number>;
}

const LABEL = '[a-z_][a-z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^([a-z_][a-z0-9_]*)(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const VALUE = /^(?:-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|[+-]Inf|NaN)$/;
const HELP = /^# HELP (varve_[a-z0-9_]+) ((?:[^\\]|\\\\|\\n)+)$/;
const TYPE = /^# TYPE (varve_[a-z0-9_]+) (counter|gauge|histogram)$/;

interface Family extends ExposedFamily {
  readonly name: string;
  readonly samples: Map<string, number>;
}

export function parseExposition(text: string): ReadonlyMap<string, ExposedFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, ExposedFamily>();
  for (const block of text.slice(0, -1).split(/\n(?=# HELP )/)) {
    const family = parseFamily(block.split('\n'));
    if (families.has(family.name)) throw new Error(`${family.name} is there twice`);
    families.set(family.name, family);
  }
  return families;
}

function parseFamily([first = '', second = '', ...lines]: readonly string[]): Family {
  const [, helped, help = ''] = HELP.exec(first) ?? [];
  const [, name = '', type = ''] = TYPE.exec(second) ?? [];
  if (name === '' || name !== helped) throw new Error(`no help and type: ${first} ${second}`);
  const family = { name, type, help, samples: new Map<string, number>() };
  for (const line of lines) addSample(family, line);
  checkFamily(family);
  return family;
}

function addSample(family: Family, line: string): void {
  const [, name = '', labels, text = ''] = SAMPLE.exec(line) ?? [];
  if (!VALUE.test(text)) throw new Error(`no sample: ${line}`);
  const parts = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  if (!parts.some((part) => name === `${family.name}${part}`)) {
    throw new Error(`a sample of another family than ${family.name}: ${line}`);
  }
  const key = labels === undefined ? name : `${name}{${labels}}`;
  if (family.samples.has(key)) throw new Error(`a sample twice: ${line}`);
  family.samples.set(key, numberOf(text));
}

function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}

function checkFamily({ name, type, samples }: Family): void {
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${type}`);
  for (const [sample, value] of samples) {
    const mayFall = type === 'gauge' || sample.includes('_sum');
    if (Number.isNaN(value) || (value < 0 && !mayFall)) throw new Error(`${sample} is ${value}`);
  }
  if (type === 'histogram') checkHistogram(name, samples);
}

interface Bucket {
  readonly bound: number;
  readonly count: number;
}

/** Of each series the buckets rise, and the last one without end holds as many as the count. */
function checkHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  for (const [labels, buckets] of bucketsOf(samples)) {
    const braces = labels === '' ? '' : `{${labels}}`;
    const rises = buckets.every(({ bound, count }, index) => {
      const before = buckets[index - 1] ?? { bound: Number.NEGATIVE_INFINITY, count: 0 };
      return bound > before.bound && count >= before.count;
    });
    const last = buckets.at(-1);
    const isWhole =
      last?.bound === Number.POSITIVE_INFINITY &&
      samples.get(`${name}_count${braces}`) === last.count &&
      samples.has(`${name}_sum${braces}`);
    if (!(rises && isWhole)) throw new Error(`${name}${braces} is no histogram`);
  }
}

/** By the labels beside `le`. */
function bucketsOf(samples: ReadonlyMap<string, number>): ReadonlyMap<string, readonly Bucket[]> {
  const buckets = new Map<string, Bucket[]>();
  for (const [sample, count] of samples) {
    const [, labels = '', le] = /_bucket\{(?:(.*),)?le="([^"]*)"\}$/.exec(sample) ?? [];
    if (le === undefined) continue;
    buckets.set(labels, [...(buckets.get(labels) ?? []), { bound: numberOf(le), count }]);
  }
  return buckets;
}
