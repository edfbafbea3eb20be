/**
 * Does what is due in a store: retires segments by the clock, packs sealed ones, removes what crashes left. One
 * thing after the other, what is due for longest first, and one run at a time.
 */
import type { StreamId, StreamName } from '../core/log/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Maintenance, WorkReport } from '../ports/maintenance.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { BEGINNING, type DueSegment, type DueSegments, type DueStream } from './due-segments.ts';
import type { HistorySample } from './history-sample.ts';
import type { LeftoverFiles } from './leftover-files.ts';
import type { Packer } from './packer.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { StoreWriter } from './store-writer.ts';

export interface PackingParts {
  readonly packer: Packer;
  readonly files: SegmentFiles;
  readonly leftovers: LeftoverFiles;
  readonly sample: Pick<HistorySample, 'fault'>;
  /** Throws when the disk is to be left alone: packing takes room before it gives some back. */
  checkRoom(): void;
}

export interface MaintenanceParts {
  readonly due: DueSegments;
  readonly writer: StoreWriter;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly telemetry: Telemetry | undefined;
  /** Absent in memory, where nothing is packed. */
  readonly packing: PackingParts | undefined;
  /** To be told when first may have risen. */
  changed(stream: StreamName): void;
}

export interface StoreMaintenance extends Maintenance {
  /** There may be a segment to pack: as long as it waits it takes up the database, which seldom shrinks. */
  want(): void;
  /** Resolves when no run is under way. */
  ended(): Promise<void>;
}

/** `closing` ends a run that is under way when the store is closed. */
export function createMaintenance(parts: MaintenanceParts, closing: AbortSignal): StoreMaintenance {
  let last: Promise<void> = Promise.resolve();
  /** At the start, and when something failed: a crash or a failure may have left files. */
  let hasLeftovers = parts.packing !== undefined;
  let isWanted = false;
  let wake: (() => void) | undefined;

  const runOnce = async (signal: AbortSignal) => {
    const run = new MaintenanceRun(parts, signal);
    if (hasLeftovers) hasLeftovers = !(await run.removeLeftovers());
    const report = await run.finish();
    if (report.failed > 0) hasLeftovers = parts.packing !== undefined;
    return report;
  };
  return {
    want: () => {
      isWanted = parts.packing !== undefined;
      if (isWanted) wake?.();
    },
    whenWanted: (listener) => {
      wake = listener;
      if (isWanted) listener();
      return () => {
        wake = undefined;
      };
    },
    run: (signal) => {
      isWanted = false;
      const stop = AbortSignal.any([signal, closing]);
      const report = last.then(() => runOnce(stop));
      last = report.then(
        () => {},
        () => {},
      );
      return report;
    },
    ended: () => last,
  };
}

class MaintenanceRun {
  readonly #parts: MaintenanceParts;
  readonly #signal: AbortSignal;
  readonly #trimmed = new Set<StreamId>();
  #done = 0;
  #failed = 0;

  constructor(parts: MaintenanceParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** False when it is to be done again. */
  async removeLeftovers(): Promise<boolean> {
    const { packing } = this.#parts;
    let isThrough = false;
    await this.#attempt(async () => {
      const removed = await packing?.leftovers.remove(this.#signal);
      isThrough = !this.#signal.aborted;
      return removed ?? 0;
    });
    return isThrough;
  }

  async finish(): Promise<WorkReport> {
    const { due, clock, packing } = this.#parts;
    let [retained, packed] = [BEGINNING, BEGINNING];
    while (!this.#signal.aborted) {
      // Between two segments, which take a second each, streams may have become due.
      const stream = due.toRetain(retained, clock.nowMs());
      const segment = stream === undefined && packing ? due.toPack(packed) : undefined;
      if (stream !== undefined) {
        retained = stream;
        await this.#attempt(() => this.#retain(stream));
      } else if (segment !== undefined && packing !== undefined) {
        packed = segment;
        await this.#attempt(() => this.#pack(segment, packing));
      } else {
        break;
      }
    }
    if (this.#done > 0 && !this.#signal.aborted) this.#lookAtHistory();
    return {
      done: this.#done,
      failed: this.#failed,
      overdueMs: this.#overdueMs(),
      trimmed: [...this.#trimmed],
    };
  }

  #lookAtHistory(): void {
    const { packing, telemetry } = this.#parts;
    const error = packing?.sample.fault();
    if (error !== undefined) telemetry?.error('audit_fault', { error });
  }

  async #attempt(work: () => Promise<number>): Promise<void> {
    try {
      this.#done += await work();
    } catch (error) {
      // Closing the store fails what is under way; that is nobody's fault.
      if (this.#signal.aborted) return;
      this.#failed++;
      this.#parts.telemetry?.error('maintenance_failed', { error });
    }
  }

  async #retain({ streamId, name }: DueStream): Promise<number> {
    const { writer, clock, changed } = this.#parts;
    const retained = await writer.retain(streamId, clock.nowMs());
    changed(name);
    if (retained !== undefined && retained.dropped > 0) this.#trimmed.add(streamId);
    return 1;
  }

  async #pack(segment: DueSegment, { packer, files, checkRoom }: PackingParts): Promise<number> {
    checkRoom();
    const pieces = await packer.pack(segment);
    if (pieces === undefined) return 0;
    const { stream, first, end } = segment;
    const isSaved = await this.#parts.writer.savePacked({ stream, first, end, pieces });
    if (!isSaved) for (const piece of pieces) files.remove(piece);
    return isSaved ? 1 : 0;
  }

  /** Of what failed, and of what it did not come to before it was told to stop. */
  #overdueMs(): number {
    const { due, clock, packing } = this.#parts;
    const nowMs = clock.nowMs();
    const left = [due.toRetain(BEGINNING, nowMs), packing && due.toPack(BEGINNING)];
    return Math.max(0, ...left.map((work) => (work === undefined ? 0 : nowMs - work.dueMs)));
  }
}
