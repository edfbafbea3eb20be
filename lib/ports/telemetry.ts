/** What the service tells its operators. Never holds message bodies, keys or tokens. */

export interface Telemetry {
  /** A fault that somebody should look into, logged once where it is answered. */
  error(event: string, details: { readonly [field: string]: unknown }): void;
}
