/**
 * Schemas of answers serve the description alone, so each is made when that is first asked for: made
 * at the start, all of them would cost 10 ms there. Made once, since a named one must stay the same.
 */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
