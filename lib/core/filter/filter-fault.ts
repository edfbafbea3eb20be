/** What is wrong with a filter, and where (SPEC F8): thrown within its parser, and told by it as a value. */
import { quote } from '../quote.ts';

export class FilterFault extends Error {
  override readonly name = 'FilterFault';
  /** The part at fault: `filter[1].geo-bbox.min_lat`. */
  readonly place: string;

  constructor(place: string, reason: string) {
    super(`${place}: ${reason}`);
    this.place = place;
  }
}

/** A name that a client made up neither breaks the line nor makes it long. */
export function memberPlace(place: string, name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? `${place}.${name}` : `${place}[${quote(name)}]`;
}
