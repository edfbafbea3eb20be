/** Conditions and orders of the storage protocol, each broken once: the simulation must notice every one. */
import { COMMIT_MUTATIONS } from './commit-mutations.ts';
import { INCARNATION_MUTATIONS } from './incarnation-mutations.ts';
import type { Mutation } from './mutation.ts';
import { PUBLISHER_MUTATIONS } from './publisher-mutations.ts';
import { RECOVERY_MUTATIONS } from './recovery-mutations.ts';
import { SEGMENT_MUTATIONS } from './segment-mutations.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...RECOVERY_MUTATIONS,
  ...COMMIT_MUTATIONS,
  ...SEGMENT_MUTATIONS,
  ...PUBLISHER_MUTATIONS,
  ...INCARNATION_MUTATIONS,
];
