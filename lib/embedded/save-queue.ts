/**
 * Offsets to be stored, those that come while others are written together: one sync to disk for all of them. A
 * save that fails fails those written with it.
 */
import { assert } from '../core/assert.ts';
import type { OffsetSave, SaveOutcome } from './consumer-writer.ts';

/** Some 10 ms of writing, for which commits wait. */
const SAVES_MAX = 512;

interface Waiting {
  readonly save: OffsetSave;
  resolve(outcome: SaveOutcome): void;
  reject(error: unknown): void;
}

export class SaveQueue {
  readonly #write: (saves: readonly OffsetSave[]) => Promise<readonly SaveOutcome[]>;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(write: (saves: readonly OffsetSave[]) => Promise<readonly SaveOutcome[]>) {
    this.#write = write;
  }

  submit(save: OffsetSave): Promise<SaveOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<SaveOutcome>();
    this.#waiting.push({ save, resolve, reject });
    if (!this.#isWriting) void this.#writeAll();
    return promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) await this.#writeSome(this.#waiting.splice(0, SAVES_MAX));
    this.#isWriting = false;
  }

  async #writeSome(some: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#write(some.map(({ save }) => save));
      assert(outcomes.length === some.length, 'a save without an outcome');
      for (const [index, { resolve }] of some.entries()) resolve(outcomes[index]);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
