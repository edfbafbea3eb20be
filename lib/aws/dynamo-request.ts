/**
 * Expressions as DynamoDB wants them, and the limits that AWS holds but emulators do not all hold: a
 * request beyond one is a fault of this program, found here and not first in production.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { assert } from '../core/assert.ts';
import { encodeItem } from './dynamo-attribute.ts';
import type { Expression, ItemKey, PutRequest } from './table.ts';

const EXPRESSION_BYTES_MAX = 4_096;
const OPERATORS_MAX = 300;
/** What AWS counts: comparisons, AND, OR, NOT, BETWEEN, IN, arithmetic and calls of functions. */
const OPERATOR = /<>|<=|>=|[=<>+-]|\b(?:AND|OR|NOT|BETWEEN|IN)\b|\b\w+\s*\(/g;
const ALIAS = /#\w+/g;

interface ExpressionInput {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

/** Names and values only where there are some: an empty map is refused. */
export function expressionInput(expression: Expression, update = ''): ExpressionInput {
  const { condition, names = {}, values = {} } = expression;
  assertWithinLimits(update);
  assertWithinLimits(condition ?? '');
  const aliases = `${update} ${condition ?? ''}`.match(ALIAS) ?? [];
  const attributes = aliases.map((alias) => [alias, names[alias] ?? alias.slice(1)]);
  return {
    ...(condition === undefined ? {} : { ConditionExpression: condition }),
    ...(aliases.length === 0 ? {} : { ExpressionAttributeNames: Object.fromEntries(attributes) }),
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: encodeItem(values) }),
  };
}

export function keyOf({ item }: PutRequest): ItemKey {
  const [k, s] = [item['k'], item['s']];
  assert(k !== undefined && 'S' in k && s !== undefined && 'S' in s, 'an item without its key');
  return { k: k.S, s: s.S };
}

/** AWS refuses a request that names one item twice. */
export function assertDistinct(keys: readonly ItemKey[], max: number): void {
  const distinct = new Set(keys.map(({ k, s }) => JSON.stringify([k, s])));
  assert(distinct.size === keys.length, 'one item twice in a request');
  assert(keys.length <= max, () => `${keys.length} items in a request, at most ${max}`);
}

function assertWithinLimits(expression: string): void {
  const bytes = Buffer.byteLength(expression);
  assert(bytes <= EXPRESSION_BYTES_MAX, () => `an expression of ${bytes} bytes`);
  const operators = expression.match(OPERATOR)?.length ?? 0;
  assert(operators <= OPERATORS_MAX, () => `an expression of ${operators} operators`);
}
