/**
 * Topic patterns, word by word in a tree, so that a key is matched by a walk down the few branches that can
 * match and not by a look at each pattern (SPEC X1). What is reached at a word is a set, so a pattern with
 * many `#` costs no more than it has words. An empty key has no words.
 */

const ONE_WORD = '*';
const ANY_WORDS = '#';

interface TrieNode<Value> {
  readonly children: Map<string, TrieNode<Value>>;
  /** Reached by `#`, which takes any number of further words. */
  readonly isAnyWords: boolean;
  /** Those whose pattern ends here. */
  readonly values: Value[];
}

export class TopicTrie<Value> {
  readonly #root: TrieNode<Value> = newNode(false);

  add(pattern: string, value: Value): void {
    let node = this.#root;
    for (const word of wordsOf(pattern)) {
      const child = node.children.get(word) ?? newNode<Value>(word === ANY_WORDS);
      node.children.set(word, child);
      node = child;
    }
    node.values.push(value);
  }

  /** Calls `found` with each value whose pattern matches, once for each time that it was added. */
  match(key: string, found: (value: Value) => void): void {
    let reached = new Set<TrieNode<Value>>();
    reach(reached, this.#root);
    for (const word of wordsOf(key)) {
      const next = new Set<TrieNode<Value>>();
      for (const node of reached) takeWord(next, node, word);
      reached = next;
    }
    for (const { values } of reached) for (const value of values) found(value);
  }
}

function newNode<Value>(isAnyWords: boolean): TrieNode<Value> {
  return { children: new Map(), isAnyWords, values: [] };
}

function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('.');
}

/** With what is behind it by a `#` that takes no word. */
function reach<Value>(reached: Set<TrieNode<Value>>, node: TrieNode<Value> | undefined): void {
  for (let at = node; at !== undefined; at = at.children.get(ANY_WORDS)) reached.add(at);
}

function takeWord<Value>(next: Set<TrieNode<Value>>, node: TrieNode<Value>, word: string): void {
  if (node.isAnyWords) reach(next, node);
  reach(next, node.children.get(ONE_WORD));
  // In a key `#` and `*` are words like any other, which only a wildcard matches.
  if (word !== ANY_WORDS && word !== ONE_WORD) reach(next, node.children.get(word));
}
