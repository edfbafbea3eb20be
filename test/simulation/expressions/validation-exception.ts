/** What the table answers to a request that it does not understand: an error of the program, never of the data. */
export class ValidationException extends Error {
  override readonly name = 'ValidationException';
}
