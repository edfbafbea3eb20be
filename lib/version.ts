/** The version of Varve that this is, as in package.json. */
export const VERSION = '0.1.0';
