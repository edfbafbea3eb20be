/** A data folder that cannot be used: one line that says what is wrong and what to do about it. */

export class FolderError extends Error {
  override readonly name = 'FolderError';
}
