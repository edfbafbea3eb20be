/** What a call that may refuse its input came to. An error of any other kind is no refusal: it is thrown on. */

type Refusal = abstract new (...given: never[]) => Error;

export type Attempt<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'refused'; readonly error: Error };

export function attempt<Value>(refusal: Refusal, call: () => Value): Attempt<Value> {
  try {
    return { kind: 'ok', value: call() };
  } catch (error) {
    if (error instanceof refusal) return { kind: 'refused', error };
    throw error;
  }
}
