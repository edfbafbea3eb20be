/** How offsets of consumers are stored, counted and swept (PROTOCOL R16). */
import { always, type Mutation } from './mutation.ts';

const SAVE = 'lib/aws/save-offset.ts';
const COUNTER = 'lib/aws/consumer-counter.ts';
const KEEP = 'lib/aws/keep-consumers.ts';

export const CONSUMER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'raise-lowers',
    what: 'lowers a stored offset by an acknowledgement that comes late',
    scenario: 'consuming',
    seedsMax: 1_000,
    patches: [always(SAVE, '#o < :next', "'")],
  },
  {
    name: 'store-beyond-next',
    what: 'stores offsets that nobody has published',
    scenario: 'consuming',
    seedsMax: 1_000,
    patches: [
      { file: SAVE, find: "if (change.next > next) return { kind: 'beyond', next };", replace: '' },
    ],
  },
  {
    name: 'first-over-first',
    what: 'writes the first offset of a name over one that is there',
    scenario: 'consuming',
    seedsMax: 1_000,
    patches: [always(SAVE, 'attribute_not_exists(#k)', "'")],
  },
  {
    name: 'count-past-limit',
    what: 'counts consumers past their limit without leaving work',
    scenario: 'consuming',
    seedsMax: 1_000,
    patches: [
      {
        file: COUNTER,
        find: '(#c < :limit AND',
        replace: '(attribute_exists(#k) OR #c < :limit AND',
      },
    ],
  },
  {
    name: 'over-limit-without-work',
    what: 'stores offsets beyond the limit, for which nobody comes',
    scenario: 'consuming',
    seedsMax: 1_000,
    patches: [
      {
        file: SAVE,
        find: '[put, countUp(streamId), dueStep(context, work)]',
        replace: '[put, countUp(streamId)]',
      },
    ],
  },
  {
    name: 'sweep-below-limit',
    what: 'removes stored offsets when no more are left than may be',
    scenario: 'limiting',
    seedsMax: 1_000,
    patches: [always(COUNTER, '#c >= :enough')],
  },
  {
    name: 'changed-limit-forgotten',
    what: 'leaves stored offsets beyond a limit that was lowered',
    scenario: 'limiting',
    seedsMax: 1_000,
    patches: [
      {
        file: KEEP,
        find: 'if (epoch === FIRST_EPOCH) return true;',
        replace: 'if (epoch >= FIRST_EPOCH) return true;',
      },
    ],
  },
  {
    name: 'consumers-of-deleted-stream',
    what: 'leaves the stored offsets of deleted streams',
    scenario: 'consuming',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/sweep-streams.ts',
        find: '    consumerPartition(id),\n    publisherNameKey',
        replace: '    publisherNameKey',
      },
    ],
  },
];
