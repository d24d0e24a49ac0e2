import { basename, join, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { projectPath } from '../project.ts'

export type BundleOptions = {
  script: string
  folder: string
}

export type Bundle = {
  file: string
  sources: readonly string[]
}

/**
 * Bundles a scenario and its imports into one file. k6 can run the scenario unbundled, but each VU pays about 8 kB per
 * module, even an empty one: with a hundred modules that is most of a VU. A source map keeps the sources in stack
 * traces. A scenario that opens files next to it would look for them in the bundle's folder.
 */
export async function bundleScript(options: BundleOptions): Promise<Bundle> {
  const { metafile } = await build({ ...esbuildOptions(options), metafile: true })
  const sources = Object.keys(metafile.inputs).map((path) => resolve(projectPath('.'), path))
  return { file: findSource(options), sources }
}

/** For the package: no white space, and no source map, which is half of a bundle, and which k6 parses at each start. */
export async function bundleText(options: BundleOptions): Promise<string> {
  const smaller = { minifyWhitespace: true, sourcemap: false, write: false } as const
  const { outputFiles } = await build({ ...esbuildOptions(options), ...smaller })
  return outputFiles.map(({ text }) => text).join('')
}

function esbuildOptions(options: BundleOptions) {
  return {
    // Keeps the bundle the same for every working directory.
    absWorkingDir: projectPath('.'),
    entryPoints: [resolve(options.script)],
    outfile: resolve(findSource(options)),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    // As k6 compiles TypeScript: no down-leveling, no tsconfig.json.
    target: 'esnext',
    tsconfigRaw: '{}',
    // Also for scripts outside any installation.
    alias: { 'breakwater/kit': projectPath('scenarios/kit.ts') },
    external: ['k6', 'k6/*', 'https://*'],
    sourcemap: 'inline',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
  } satisfies BuildOptions
}

function findSource({ script, folder }: BundleOptions): string {
  return join(folder, `${basename(script, '.ts')}.js`)
}
