/** Reads a condition. NOT binds tighter than AND, and AND than OR. */
import type { Bindings } from './bindings.ts';
import type { Comparator, Condition, Operand } from './condition.ts';
import { checkBounds, checkDistinct, checkOrdered } from './condition-checks.ts';
import { parseFunction } from './parse-function.ts';
import { parseOperand, type Source } from './parse-operand.ts';
import { readTokens } from './tokens.ts';
import { ValidationException } from './validation-exception.ts';

const CHOICES_MAX = 100;
const COMPARATORS: readonly Comparator[] = ['=', '<>', '<', '<=', '>', '>='];

export function parseCondition(expression: string, bindings: Bindings): Condition {
  const tokens = readTokens(expression, 'ConditionExpression');
  const condition = parseOr({ tokens, bindings });
  if (tokens.peek().kind !== 'end') throw tokens.unexpected();
  return condition;
}

function parseOr(source: Source): Condition {
  let left = parseAnd(source);
  while (source.tokens.skipKeyword('OR')) {
    source.tokens.countOperator();
    left = { kind: 'or', left, right: parseAnd(source) };
  }
  return left;
}

function parseAnd(source: Source): Condition {
  let left = parseNot(source);
  while (source.tokens.skipKeyword('AND')) {
    source.tokens.countOperator();
    left = { kind: 'and', left, right: parseNot(source) };
  }
  return left;
}

function parseNot(source: Source): Condition {
  if (!source.tokens.skipKeyword('NOT')) return parsePrimary(source);
  source.tokens.countOperator();
  return { kind: 'not', condition: parseNot(source) };
}

function parsePrimary(source: Source): Condition {
  const { tokens } = source;
  if (tokens.skip('(')) return parseInParentheses(source);
  if (tokens.startsCall() && tokens.peek().text !== 'size') return parseFunction(source);
  return parseComparison(source, parseOperand(source));
}

function parseInParentheses(source: Source): Condition {
  const condition = parseOr(source);
  source.tokens.expect(')');
  if (condition.kind === 'group') {
    throw new ValidationException(
      'Invalid ConditionExpression: The expression has redundant parentheses',
    );
  }
  return { kind: 'group', condition };
}

function parseComparison(source: Source, left: Operand): Condition {
  const { tokens } = source;
  if (tokens.skipKeyword('BETWEEN')) return parseBetween(source, left);
  if (tokens.skipKeyword('IN')) return parseIn(source, left);
  const comparator = COMPARATORS.find((symbol) => tokens.skip(symbol));
  if (comparator === undefined) throw notACondition(source, left);
  tokens.countOperator();
  const right = parseOperand(source);
  checkDistinct(comparator, [left, right]);
  if (comparator !== '=' && comparator !== '<>') checkOrdered(comparator, [left, right]);
  return { kind: 'compare', comparator, left, right };
}

function parseBetween(source: Source, operand: Operand): Condition {
  source.tokens.countOperator();
  const low = parseOperand(source);
  if (!source.tokens.skipKeyword('AND')) throw source.tokens.unexpected();
  const high = parseOperand(source);
  checkOrdered('BETWEEN', [operand, low, high]);
  checkBounds(low, high);
  return { kind: 'between', operand, low, high };
}

function parseIn(source: Source, operand: Operand): Condition {
  const { tokens } = source;
  tokens.countOperator();
  tokens.expect('(');
  const choices = [parseOperand(source)];
  while (tokens.skip(',')) choices.push(parseOperand(source));
  tokens.expect(')');
  if (choices.length <= CHOICES_MAX) return { kind: 'in', operand, choices };
  throw new ValidationException(
    `Invalid ConditionExpression: more than ${CHOICES_MAX} operands of IN`,
  );
}

function notACondition({ tokens }: Source, operand: Operand): ValidationException {
  if (operand.kind !== 'size') return tokens.unexpected();
  return new ValidationException(
    'Invalid ConditionExpression: The function is not allowed to be used this way in an expression; function: size',
  );
}
