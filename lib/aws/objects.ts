/**
 * The objects that chunks lie in: written once under a name nobody else has, never changed
 * (PROTOCOL, invariant 3). What fails throws StoreError.
 */

export interface ObjectPage {
  /** In the order of their UTF-8 bytes. */
  readonly names: readonly string[];
  /** There may be more: ask again with this as `page`. */
  readonly next?: string;
}

export interface Objects {
  /** Written unless it is there already, which only an earlier try of the same put can have done. */
  put(name: string, bytes: Uint8Array): Promise<void>;

  /** Undefined when there is no such object. */
  get(name: string): Promise<Uint8Array | undefined>;

  /** Bytes [start, end) of it, end at most its size. */
  getRange(
    name: string,
    range: { readonly start: number; readonly end: number },
  ): Promise<Uint8Array | undefined>;

  list(query: { readonly prefix: string; readonly page?: string }): Promise<ObjectPage>;

  /** Absent ones are fine. */
  deleteMany(names: readonly string[]): Promise<void>;

  /** A URL by which whoever has it reads the object until it expires. */
  presignedUrl(name: string, expiresSeconds: number): Promise<string>;
}
