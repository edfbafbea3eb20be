/** Cuts an expression into tokens and hands them out one by one, counting operators and functions. */
import { ValidationException } from './validation-exception.ts';

const EXPRESSION_BYTES_MAX = 4096;
const OPERATORS_MAX = 300;

export type TokenKind = 'word' | 'alias' | 'placeholder' | 'integer' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

export interface Tokens {
  peek(): Token;
  /** Whether a word and an opening parenthesis are next. */
  startsCall(): boolean;
  next(): Token;
  /** Steps over the symbol if it is next, and says whether it was. */
  skip(symbol: string): boolean;
  expect(symbol: string): void;
  /** The same for a keyword, in upper case here and in any case there. */
  skipKeyword(keyword: string): boolean;
  countOperator(): void;
  unexpected(): ValidationException;
}

const TOKEN =
  /\s+|(?<alias>#[A-Za-z0-9_]+)|(?<placeholder>:[A-Za-z0-9_]+)|(?<word>[A-Za-z]\w*)|(?<integer>[0-9]+)|(?<symbol><>|<=|>=|[-=<>+,.()[\]])/y;

const END: Token = { kind: 'end', text: '' };

/** `what` names the expression in errors, as the table does: `ConditionExpression`. */
export function readTokens(expression: string, what: string): Tokens {
  checkLength(expression, what);
  const tokens = tokenize(expression, what);
  let [position, operators] = [0, 0];
  const peek = () => tokens[position] ?? END;
  const is = (token: Token) => peek().kind === token.kind && peek().text === token.text;
  const skip = (symbol: string) => is({ kind: 'symbol', text: symbol }) && ++position > 0;
  const unexpected = () =>
    new ValidationException(`Invalid ${what}: Syntax error; token: "${peek().text}"`);

  return {
    peek,
    startsCall: () => peek().kind === 'word' && tokens[position + 1]?.text === '(',
    next: () => tokens[position++] ?? END,
    skip,
    expect(symbol) {
      if (!skip(symbol)) throw unexpected();
    },
    skipKeyword(keyword) {
      const found = peek().kind === 'word' && peek().text.toUpperCase() === keyword;
      if (found) position++;
      return found;
    },
    countOperator() {
      if (++operators <= OPERATORS_MAX) return;
      throw new ValidationException(`Invalid ${what}: more than ${OPERATORS_MAX} operators`);
    },
    unexpected,
  };
}

function checkLength(expression: string, what: string): void {
  if (expression.trim() === '') {
    throw new ValidationException(`Invalid ${what}: The expression can not be empty`);
  }
  const bytes = Buffer.byteLength(expression);
  if (bytes <= EXPRESSION_BYTES_MAX) return;
  throw new ValidationException(
    `Invalid ${what}: Expression size has exceeded the maximum allowed size: ${bytes} bytes`,
  );
}

function tokenize(expression: string, what: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < expression.length) {
    const start = pattern.lastIndex;
    const match = pattern.exec(expression);
    if (match === null) {
      const text = expression.slice(start, start + 10);
      throw new ValidationException(`Invalid ${what}: Syntax error; token: "${text}"`);
    }
    const token = namedToken(match.groups ?? {});
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

function namedToken(groups: { readonly [kind: string]: string | undefined }): Token | undefined {
  for (const kind of ['alias', 'placeholder', 'word', 'integer', 'symbol'] as const) {
    const text = groups[kind];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}
