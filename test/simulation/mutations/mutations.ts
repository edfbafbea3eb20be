/** Conditions and orders of the storage protocol, each broken once: the simulation must notice every one. */
import { COMMIT_MUTATIONS } from './commit-mutations.ts';
import { CONSUMER_MUTATIONS } from './consumer-mutations.ts';
import { DELAY_MUTATIONS } from './delay-mutations.ts';
import { INCARNATION_MUTATIONS } from './incarnation-mutations.ts';
import { KEEPING_MUTATIONS } from './keeping-mutations.ts';
import type { Mutation } from './mutation.ts';
import { PACKING_MUTATIONS } from './packing-mutations.ts';
import { PUBLISHER_MUTATIONS } from './publisher-mutations.ts';
import { RECOVERY_MUTATIONS } from './recovery-mutations.ts';
import { ROUTING_MUTATIONS } from './routing-mutations.ts';
import { SEGMENT_MUTATIONS } from './segment-mutations.ts';
import { VALUE_MUTATIONS } from './value-mutations.ts';
import { WORK_MUTATIONS } from './work-mutations.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...RECOVERY_MUTATIONS,
  ...COMMIT_MUTATIONS,
  ...SEGMENT_MUTATIONS,
  ...PACKING_MUTATIONS,
  ...WORK_MUTATIONS,
  ...KEEPING_MUTATIONS,
  ...PUBLISHER_MUTATIONS,
  ...INCARNATION_MUTATIONS,
  ...VALUE_MUTATIONS,
  ...CONSUMER_MUTATIONS,
  ...ROUTING_MUTATIONS,
  ...DELAY_MUTATIONS,
];
