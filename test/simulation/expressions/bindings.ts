/** What the aliases and placeholders of a request stand for; each one that was given must be used. */
import type { Attribute, Expression } from '../../../lib/aws/table.ts';
import { isReserved } from './reserved-words.ts';
import { storedForm } from './stored-form.ts';
import { ValidationException } from './validation-exception.ts';

export interface Bindings {
  /** The attribute that a word or an alias stands for. */
  name(text: string): string;
  value(placeholder: string): Attribute;
  checkAllUsed(): void;
}

export function createBindings({ names = {}, values = {} }: Expression): Bindings {
  const used = new Set<string>();
  const stored = new Map(Object.entries(values).map(([key, value]) => [key, storedForm(value)]));

  return {
    name(text) {
      used.add(text);
      if (text.startsWith('#'))
        return Object.hasOwn(names, text) ? given(names[text]) : text.slice(1);
      if (!isReserved(text)) return text;
      throw new ValidationException(
        `Attribute name is a reserved keyword; reserved keyword: ${text}`,
      );
    },
    value(placeholder) {
      used.add(placeholder);
      const value = stored.get(placeholder);
      if (value !== undefined) return value;
      throw new ValidationException(
        `An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
      );
    },
    checkAllUsed() {
      const unused = [...Object.keys(names), ...stored.keys()].filter((key) => !used.has(key));
      if (unused.length === 0) return;
      throw new ValidationException(
        `Value provided in ExpressionAttributeNames or ExpressionAttributeValues unused in expressions: keys: {${unused.join(', ')}}`,
      );
    },
  };
}

function given(name: string | undefined): string {
  if (name !== undefined && name !== '') return name;
  throw new ValidationException('ExpressionAttributeNames contains an empty attribute name');
}
