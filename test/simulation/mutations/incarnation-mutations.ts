/** Deletion, creation and settings (PROTOCOL R10, R11). */
import { always, type Mutation } from './mutation.ts';

const CREATE = 'lib/aws/create-stream.ts';
const CATALOG = 'lib/aws/aws-catalog.ts';
const LOADER = 'lib/aws/stream-loader.ts';
const TRANSACTION = '  const result = await context.table.transact(';

export const INCARNATION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'delete-any-incarnation',
    what: 'deletes whatever stream has the name now (7m4)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [always(CREATE, '#i = :id', "'")],
  },
  {
    name: 'delete-registry-first',
    what: 'deletes the registry item before the tail (7m8)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: CREATE,
        find: TRANSACTION,
        replace: `  await context.table.delete({ key: registryKey(name), ...ofThis }, 'harmless');
${TRANSACTION}`,
      },
    ],
  },
  {
    name: 'delete-tail-first',
    what: 'deletes the tail before the registry item and the grave (7m9)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: CREATE,
        find: TRANSACTION,
        replace: `  await context.table.delete({ key: tailKey(name), ...ofThis }, 'harmless');
${TRANSACTION}`,
      },
    ],
  },
  {
    name: 'same-id-again',
    what: 'gives a stream that is created again the id it had (7m10)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/services/declare-stream.ts',
        find: 'streamId: streamId(random.hex128()),',
        replace: "streamId: streamId('0'.repeat(31) + name.length),",
      },
    ],
  },
  {
    name: 'grave-without-grace',
    what: 'fills a grave in as soon as nothing is found (7m11)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/sweep-streams.ts',
        find: 'const GRAVE_MS = 7 * 86_400_000;',
        replace: 'const GRAVE_MS = 0;',
      },
    ],
  },
  {
    name: 'epoch-before-settings',
    what: 'raises the epoch before the settings are written (7m5)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: CATALOG,
        find: '  const saved = await table.update(',
        replace: `  await streams.raiseEpoch(stream, revision);
  const saved = await table.update(`,
      },
    ],
  },
  {
    name: 'epoch-behind-settings',
    what: 'goes by newer settings under the older epoch (7m6)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: LOADER,
        find: 'if (settings?.revision === tail.epoch) {',
        replace: 'if (settings !== undefined) {',
      },
    ],
  },
  {
    name: 'epoch-raised-by-nobody',
    what: 'waits for whoever changed the settings to raise the epoch (7m6)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: LOADER,
        find: ': await this.#raiseEpoch(name, tail, settings.revision);',
        replace: ': await this.#parts.table.get(tailKey(name));',
      },
    ],
  },
  {
    name: 'settings-without-epoch',
    what: 'acknowledges a change before the epoch is raised (7m7)',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [
      {
        file: CATALOG,
        find: 'return await streams.raiseEpoch(stream, revision);',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'settings-over-other',
    what: 'saves settings over a change that came meanwhile',
    scenario: 'incarnations',
    seedsMax: 1_000,
    patches: [always(CATALOG, '#r = :expected', "'")],
  },
  {
    name: 'token-set-again',
    what: 'sends a new fencing token again when the answer was lost',
    scenario: 'fencing',
    seedsMax: 1_000,
    patches: [
      {
        file: 'lib/aws/change-tail.ts',
        find: `    },
    // Sent again it could land behind another client's token, and let in again whom that one shut out.
    'once',`,
        replace: `    },
    'harmless',`,
      },
    ],
  },
];
