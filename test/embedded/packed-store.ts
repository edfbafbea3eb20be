/** The parts of a store in a folder, to be taken one step further at a time: nothing happens by itself. */
import { join } from 'node:path';
import type { StreamSettings } from '../../lib/core/log/settings.ts';
import { openDatabase } from '../../lib/embedded/database.ts';
import { BEGINNING, type DueSegment, DueSegments } from '../../lib/embedded/due-segments.ts';
import { LogReader } from '../../lib/embedded/log-reader.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import { SegmentFiles } from '../../lib/embedded/segment-files.ts';
import { SegmentPacker } from '../../lib/embedded/segment-packer.ts';
import type { LostMessages } from '../../lib/ports/store-error.ts';
import { batchOfSize, idOf, streamName } from '../support/batches.ts';

export const S = streamName('s');
export const S_ID = idOf(1);

export function openPackedStore(folder: string, pieceBytes = 64 * 1024 * 1024) {
  const database = openDatabase(join(folder, 'varve.db'));
  // Waiting for the disk would take nearly all of the time, and no test takes the power away.
  database.exec('PRAGMA synchronous = OFF');
  const files = new SegmentFiles(folder);
  const writer = new LogWriter(database, { files, packBytesMin: 0 });
  const lost: LostMessages[] = [];
  const reader = new LogReader(database, { files, lost: (error) => lost.push(error) });
  const packer = new SegmentPacker(database, { files, pieceBytes });
  const due = new DueSegments(database);

  const pack = (segment: DueSegment) => packer.pack(segment) ?? [];
  return {
    database,
    files,
    writer,
    reader,
    lost,
    due,
    pack,
    create: (settings: StreamSettings) =>
      writer.create({ name: S, streamId: S_ID, settings, createdMs: 0 }),
    /** One message of this many bytes a commit. */
    publish: (times: readonly number[], bytes = 10) => {
      for (const timeMs of times) {
        writer.commit([{ stream: S, batch: batchOfSize(1, bytes), timeMs }]);
      }
    },
    /** Packs all that is sealed; its runs stay until the next sweep. */
    packAll: () => {
      let packed = 0;
      for (let next = due.toPack(BEGINNING); next; next = due.toPack(BEGINNING)) {
        const { stream, first, end } = next;
        if (!writer.savePacked({ stream, first, end, pieces: pack(next) })) break;
        packed++;
      }
      return packed;
    },
    sweepAll: () => {
      while (writer.sweep());
    },
    close: () => database.close(),
  };
}
