/**
 * Builds the functions: one file each, with everything they need in it and nothing else, the same bytes
 * from the same sources. What a start would compute is computed here: the description of the API goes in
 * as text.
 */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { ROUTES } from '../lib/http/app.ts';
import { buildDocument } from '../lib/http/openapi/build-document.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const FUNCTIONS = ['api', 'deliver', 'maintain'] as const;

export interface BuildOptions {
  readonly outdir: string;
  /** Another module than functions/store.ts, for functions that are tried without AWS. */
  readonly store?: string;
}

export async function buildFunctions({ outdir, store }: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: FUNCTIONS.map((name) => `functions/${name}.ts`),
    outdir,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    // Starts 25 ms sooner than the same as a module.
    format: 'cjs',
    // Of each package as modules, of which what nobody uses can be left out.
    mainFields: ['module', 'main'],
    legalComments: 'none',
    metafile: true,
    logLevel: store === undefined ? 'warning' : 'error',
    plugins: [writtenDescription, ...(store === undefined ? [] : [otherStore(store)])],
  });
  // Where they are deployed there is none, and these are what Node then takes them for.
  writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  return metafile;
}

/** Making the document takes the schemas of every answer; what it comes to does not change any more. */
const writtenDescription: Plugin = {
  name: 'written-description',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]http[/\\]openapi[/\\]build-document\.ts$/ }, () => {
      const text = JSON.stringify(JSON.stringify(buildDocument(ROUTES)));
      return { contents: `export const buildDocument = () => JSON.parse(${text});`, loader: 'js' };
    });
  },
};

function otherStore(path: string): Plugin {
  return {
    name: 'other-store',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/store\.ts$/ }, () => ({ path }));
    },
  };
}

/** Bytes of each function by where they come from, largest first. */
export function bytesBySource({ outputs }: Metafile): string {
  return Object.entries(outputs)
    .map(([file, { bytes, inputs }]) => {
      const sums = new Map<string, number>();
      for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
        const source = sourceOf(input);
        sums.set(source, (sums.get(source) ?? 0) + bytesInOutput);
      }
      const rows = [...sums].sort(([, a], [, b]) => b - a).slice(0, 12);
      const lines = rows.map(([source, sum]) => `  ${kib(sum).padStart(9)}  ${source}`);
      return `${file}  ${kib(bytes)}\n${lines.join('\n')}`;
    })
    .join('\n');
}

function sourceOf(input: string): string {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(input)?.[1];
  return inPackage ?? input.split('/').slice(0, 2).join('/');
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

if (import.meta.main) {
  const outdir = join(ROOT, 'dist');
  const metafile = await buildFunctions({ outdir });
  writeFileSync(join(outdir, 'metafile.json'), `${JSON.stringify(metafile)}\n`);
  console.log(`${bytesBySource(metafile)}\nin ${relative(process.cwd(), outdir)}`);
}
