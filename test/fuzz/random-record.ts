/** Records of every form: parts that mean something, and parts that are just bytes. */
import type { WireRecord } from '../../lib/wire/record.ts';
import type { Chance } from './chance.ts';

const TYPES = [
  'application/json',
  'text/plain; charset=utf-8',
  'application/octet-stream',
  'image/png',
  'application/x+json',
  'é',
  '',
];
const OBJECTS = [
  '{}',
  '{"a":1}',
  '{"CC":["x"]}',
  '{"x-death":1,"b":"c"}',
  '{"type":"t"}',
  '[]',
  '',
];

export function randomRecord(chance: Chance): WireRecord {
  const part = () =>
    utf8(chance.oneIn(3) ? chance.text(5).toWellFormed() : 'k'.repeat(chance.pick([0, 1, 130])));
  const object = () => (chance.oneIn(8) ? chance.bytes(5) : utf8(chance.pick(OBJECTS)));
  return {
    body: chance.oneIn(4) ? utf8(chance.pick(['1', '{"a":[]}', '"x"'])) : chance.bytes(40),
    contentType: chance.oneIn(2) ? 'application/octet-stream' : chance.pick(TYPES),
    ...(chance.oneIn(3) && { key: chance.oneIn(8) ? chance.bytes(5) : part() }),
    ...(chance.oneIn(4) && { routingKey: part() }),
    ...(chance.oneIn(4) && { headers: object() }),
    ...(chance.oneIn(6) && { properties: object() }),
  };
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
