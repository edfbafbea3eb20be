/**
 * The files of packed segments, their names and what is done with them as a whole (their bytes: FORMAT.md):
 *
 *   segments/{stream no}/{first20}-{end20}    messages [first, end)
 *   segments/{stream no}/{first20}.new        one that is being written, which nobody reads
 */
import { fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PieceRange } from './piece-table.ts';
import { createFolder, syncFolder } from './synced-folder.ts';

const FOLDER = 'segments';
const OFFSET_DIGITS = 20;
const FILE_MODE = 0o600;

/** What lies in the folder of a stream. */
export type SegmentFile =
  | { readonly kind: 'piece'; readonly piece: PieceRange; readonly name: string }
  | { readonly kind: 'new' | 'unknown'; readonly name: string };

export class SegmentFiles {
  readonly #data: string;

  /** `data` is the folder of the store. */
  constructor(data: string) {
    this.#data = data;
  }

  /** Relative to the folder of the store. */
  nameOf({ stream, first, end }: PieceRange): string {
    return `${FOLDER}/${stream}/${digits(first)}-${digits(end)}`;
  }

  pathOf(piece: PieceRange): string {
    return join(this.#data, this.nameOf(piece));
  }

  /** A file to write a piece to that begins at `first`, empty. */
  createNew({ stream, first }: Pick<PieceRange, 'stream' | 'first'>): number {
    createFolder(this.#folderOf(stream));
    return openSync(this.#newPath(stream, first), 'w', FILE_MODE);
  }

  /** What was written is synced, and then has its name; {@link syncNames} makes that durable. */
  finishNew(descriptor: number, piece: PieceRange): void {
    fsyncSync(descriptor);
    renameSync(this.#newPath(piece.stream, piece.first), this.pathOf(piece));
  }

  syncNames(stream: number): void {
    syncFolder(this.#folderOf(stream));
  }

  /** One that is gone already is as good. */
  remove(piece: PieceRange): void {
    rmSync(this.pathOf(piece), { force: true });
  }

  removeNew({ stream, first }: Pick<PieceRange, 'stream' | 'first'>): void {
    rmSync(this.#newPath(stream, first), { force: true });
  }

  /** With whatever is still in it. */
  removeStream(stream: number): void {
    rmSync(this.#folderOf(stream), { recursive: true, force: true });
  }

  /** The numbers of streams that have a folder. */
  async streams(): Promise<readonly number[]> {
    const names = await readNames(join(this.#data, FOLDER));
    return names.filter((name) => /^[1-9][0-9]*$/.test(name)).map(Number);
  }

  async files(stream: number): Promise<readonly SegmentFile[]> {
    const names = await readNames(this.#folderOf(stream));
    return names.map((name) => parseName(stream, name));
  }

  async removeFile(stream: number, { name }: SegmentFile): Promise<void> {
    await rm(join(this.#folderOf(stream), name), { force: true });
  }

  #folderOf(stream: number): string {
    return join(this.#data, FOLDER, String(stream));
  }

  #newPath(stream: number, first: number): string {
    return join(this.#folderOf(stream), `${digits(first)}.new`);
  }
}

/** True for the error of a file or folder that is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function readNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function parseName(stream: number, name: string): SegmentFile {
  const [, first, end] = /^([0-9]{20})-([0-9]{20})$/.exec(name) ?? [];
  if (first !== undefined && end !== undefined) {
    return { kind: 'piece', piece: { stream, first: Number(first), end: Number(end) }, name };
  }
  return { kind: /^[0-9]{20}\.new$/.test(name) ? 'new' : 'unknown', name };
}

function digits(offset: number): string {
  return String(offset).padStart(OFFSET_DIGITS, '0');
}
