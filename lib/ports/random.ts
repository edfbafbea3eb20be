/** Randomness, as a component, so that a run can be repeated from a seed. */

export interface Random {
  /** 128 random bits as 32 lower-case hex digits. */
  hex128(): string;
}
