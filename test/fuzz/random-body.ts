/** Bodies of publishes that are right, in each format, for rounds that then damage them. */

import { encodeFrame, MESSAGES_TYPE } from '../../lib/wire/frame.ts';
import { encodeRecords } from '../../lib/wire/record.ts';
import type { Chance } from './chance.ts';
import { joinBytes } from './mutate-bytes.ts';
import { randomJson, randomString } from './random-json.ts';
import { randomRecord } from './random-record.ts';

export interface RandomBody {
  readonly type: string;
  readonly body: Uint8Array;
  readonly headers: { readonly [name: string]: string };
}

const FORMATS: { readonly [type: string]: (chance: Chance) => string } = {
  'application/json': (chance) => {
    const option = chance.pick([
      '',
      '',
      ',"publisher":"p"',
      ',"expected_offset":0',
      ',"epoch":1e0',
    ]);
    return `{"messages":[${list(chance, (each) => messageObject(each, randomJson), ',')}]${option}}`;
  },
  'application/x-ndjson': (chance) => list(chance, jsonLine, '\n'),
  [`${MESSAGES_TYPE}+ndjson`]: (chance) =>
    list(chance, (each) => messageObject(each, jsonLine), '\r\n'),
  'application/cloudevents+json': cloudEvent,
  'application/cloudevents-batch+json': (chance) => `[${list(chance, cloudEvent, ',')}]`,
  'text/plain': (chance) => chance.text(20).toWellFormed(),
};

export const BODY_TYPES: readonly string[] = [...Object.keys(FORMATS), MESSAGES_TYPE];

export function randomBody(chance: Chance): RandomBody {
  const type = chance.pick(BODY_TYPES);
  const format = FORMATS[type];
  const body = format === undefined ? frames(chance) : new TextEncoder().encode(format(chance));
  return { type, body, headers: chance.oneIn(4) ? { 'varve-header-a': 'b' } : {} };
}

function frames(chance: Chance): Uint8Array {
  const each = chance.some(4, () =>
    encodeRecords([{ ...randomRecord(chance), contentType: 'text/plain' }]),
  );
  return joinBytes(encodeFrame(each, chance.oneIn(4) ? each.map((_, index) => index) : undefined));
}

function list(chance: Chance, item: (chance: Chance) => string, separator: string): string {
  return [item(chance), ...chance.some(3, () => item(chance))].join(separator);
}

function jsonLine(chance: Chance): string {
  return randomJson(chance).replace(/[\r\n]/g, ' ');
}

function messageObject(chance: Chance, json: (chance: Chance) => string): string {
  const members = [
    chance.pick([
      () => `"json":${json(chance)}`,
      () => `"text":${randomString(chance)}`,
      () => '"base64":"AAEC"',
    ])(),
    ...(chance.oneIn(3) ? [`"key":${randomString(chance)}`] : []),
    ...(chance.oneIn(4) ? [`"routing_key":${randomString(chance)}`] : []),
    ...(chance.oneIn(3)
      ? [`"headers":{"${chance.pick(['a', 'CC', 'x-death', 'ce-id'])}":${json(chance)}}`]
      : []),
    ...(chance.oneIn(4) ? [`"properties":{"type":${randomString(chance)},"priority":3}`] : []),
    ...(chance.oneIn(6) ? ['"content_type":"a/b; c=d"'] : []),
    ...(chance.oneIn(6) ? ['"publishing_id":7'] : []),
  ];
  return `{${members.join(', ')}}`;
}

function cloudEvent(chance: Chance): string {
  const members = [
    '"specversion":"1.0"',
    `"id":"${chance.below(100)}"`,
    '"source":"/s"',
    '"type":"t"',
    ...(chance.oneIn(3) ? [`"subject":${randomString(chance)}`] : []),
    ...(chance.oneIn(3) ? [`"data":${randomJson(chance)}`] : ['"data_base64":"AAEC"']),
    ...(chance.oneIn(4) ? ['"datacontenttype":"text/plain"'] : []),
    ...(chance.oneIn(4) ? [`"partitionkey":${randomString(chance)}`] : []),
    ...(chance.oneIn(4) ? [`"extension":${chance.pick(['1', 'true', 'null', '"x"', '1.5'])}`] : []),
  ];
  return `{${members.join(' , ')}}`;
}
