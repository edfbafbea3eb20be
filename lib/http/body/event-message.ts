/**
 * An event as a message, the same whatever mode it came in (SPEC CE3): attributes are headers `ce-…` in
 * the order of their names, but for the content type and the key, which messages have a place for.
 */
import {
  type AttributeValue,
  DATA_TYPE,
  PARTITION_KEY,
  parseAttribute,
  REQUIRED_ATTRIBUTES,
} from '../../core/log/event-attribute.ts';
import { HEADERS_BYTES_MAX } from '../../core/log/limits.ts';
import type { BatchBuilder, MessageInput } from '../../services/batch-builder.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { ATTRIBUTE_PREFIX, type DataForm, FORM_HEADER, impliedForm } from '../event-data.ts';

export interface EventData {
  readonly body: Uint8Array;
  /** True when the body was accepted by a JSON parser. */
  readonly isJson: boolean;
  /** As the sender wrote it; undefined where the mode has one form only, and for no data. */
  readonly form?: DataForm;
}

export interface EventInput {
  readonly attributes: EventAttributes;
  readonly data: EventData;
  /** For an event that names no type of its data. */
  readonly defaultType: string;
  readonly routingKey?: string;
  readonly delay?: NonNullable<MessageInput['delay']>;
}

/** `"ce-":0,` beside its name is the least that an attribute takes as a header. */
const HEADER_BYTES_MIN = 8;

/** The attributes of one event, each checked as it is added. */
export class EventAttributes {
  readonly #values = new Map<string, AttributeValue>();
  readonly #fieldOf: (name: string) => string;
  #bytesMin = 0;

  /** `fieldOf` tells how an error names an attribute: `events[3].id`, `ce-id`. */
  constructor(fieldOf: (name: string) => string) {
    this.#fieldOf = fieldOf;
  }

  field(name: string): string {
    return this.#fieldOf(name.slice(0, 64));
  }

  add(name: string, value: unknown): void {
    const parsed = parseAttribute(name, value);
    if (parsed.kind === 'reject') throw this.fault(name, parsed.reason);
    if (this.#values.has(name)) throw this.fault(name, 'is given twice: give it once');
    this.#values.set(name, parsed.value);
    this.#refuseTooMany(name);
  }

  /** At once: to keep, sort and write 400 000 of them before they are refused took seconds. */
  #refuseTooMany(name: string): void {
    if (name === DATA_TYPE || name === PARTITION_KEY) return;
    this.#bytesMin += name.length + HEADER_BYTES_MIN;
    if (this.#bytesMin <= HEADERS_BYTES_MAX) return;
    const field = this.field(name);
    throw new LogError(`${field} is over the ${HEADERS_BYTES_MAX} bytes that attributes may take`, {
      code: 'message_too_large',
      details: { field, limit: HEADERS_BYTES_MAX, actual: this.#bytesMin },
    });
  }

  refuseMissing(): void {
    const missing = REQUIRED_ATTRIBUTES.find((name) => !this.#values.has(name));
    if (missing !== undefined) throw this.fault(missing, 'is missing: every event has one');
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : String(value);
  }

  /** Sorted, so that the same event is the same bytes in whatever order its attributes came. */
  headers(form: DataForm | undefined): NonNullable<MessageInput['headers']> {
    const parsed: Record<string, AttributeValue> =
      form === undefined ? {} : { [FORM_HEADER]: form };
    for (const [name, value] of this.#values) {
      if (name === DATA_TYPE || name === PARTITION_KEY) continue;
      parsed[`${ATTRIBUTE_PREFIX}${name}`] = value;
    }
    const names = Object.keys(parsed).sort();
    const members = names.map((name) => `"${name}":${JSON.stringify(parsed[name])}`);
    return { parsed, text: Buffer.from(`{${members.join(',')}}`) };
  }

  fault(name: string, reason: string): LogError {
    const field = this.field(name);
    return invalid(field, `${field} ${reason}`);
  }
}

/** `place` is where the event stands in the request, for errors. */
export function addEvent(builder: BatchBuilder, event: EventInput, place: string): void {
  const { attributes, data, defaultType, routingKey, delay } = event;
  attributes.refuseMissing();
  const { body, isJson, form } = data;
  const contentType = attributes.text(DATA_TYPE) ?? defaultType;
  // Remembered only where the type and the bytes say otherwise, so that all modes store the same.
  const isImplied = form === undefined || form === impliedForm({ body, contentType, isJson });
  const key = attributes.text(PARTITION_KEY);
  builder.add(
    {
      body,
      contentType,
      isJson,
      headers: attributes.headers(isImplied ? undefined : form),
      ...(key !== undefined && { key }),
      ...(routingKey !== undefined && { routingKey }),
      ...(delay && { delay }),
    },
    place,
  );
}
