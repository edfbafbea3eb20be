/** Reads the repository as text for the tests of its own tidiness, with findings told as `file:line`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** All files below the folder that have one of the extensions; none when there is no such folder. */
export function filesBelow(folder: string, extensions: readonly string[]): SourceFile[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.includes(extname(entry.name)))
    .map((entry) => readSource(join(entry.parentPath, entry.name).slice(root.length)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The files at the top of the repository, so that node_modules is never walked. */
export function filesAtTop(extensions: readonly string[]): SourceFile[] {
  return readdirSync(root)
    .filter((name) => extensions.includes(extname(name)))
    .map(readSource);
}

export function foldersIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${folder}/${entry.name}`);
}

export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

export function readSource(path: string): SourceFile {
  return { path: path.replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') };
}

/** Each place where the pattern matches, as `file:line: matched text`. The pattern must be global. */
export function findings(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(pattern)].map((match) => finding(file, match.index, match[0].trim())),
  );
}

export function finding(file: SourceFile, index: number, remark: string): string {
  const line = file.text.slice(0, index).split('\n').length;
  return `${file.path}:${line}: ${remark}`;
}

const STRING_OR_COMMENT =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** The same file with its comments blanked and its lines kept: a comment may name what code must not use. */
export function withoutComments(file: SourceFile): SourceFile {
  const text = file.text.replace(STRING_OR_COMMENT, (part) =>
    part.startsWith('/') ? part.replace(/[^\n]/g, ' ') : part,
  );
  return { path: file.path, text };
}
