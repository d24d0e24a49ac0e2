import { basename, join, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { projectPath } from '../project.ts'

export type BundleOptions = {
  /** The scenario, `….k6.ts`. */
  script: string
  /** Where its one file lies: `….k6.js`. */
  folder: string
}

export type Bundle = {
  file: string
  /** All that went into it. */
  sources: readonly string[]
}

/**
 * Puts a scenario and all that it imports into one file of the folder. k6 would take the scenario as it is, but each of its
 * VUs pays some 8 kB for each module of it, be it empty: with a hundred modules that is most of a VU. Errors still name the
 * sources, by a map in the file. A scenario that opens files beside it would look for them in the folder.
 */
export async function bundleScript(options: BundleOptions): Promise<Bundle> {
  const { metafile } = await build({ ...esbuildOptions(options), metafile: true })
  const sources = Object.keys(metafile.inputs).map((path) => resolve(projectPath('.'), path))
  return { file: fileOf(options), sources }
}

/** The text of that file, which is not written. */
export async function bundleText(options: BundleOptions): Promise<string> {
  const { outputFiles } = await build({ ...esbuildOptions(options), write: false })
  return outputFiles.map(({ text }) => text).join('')
}

function esbuildOptions(options: BundleOptions) {
  return {
    // From where it names what it is made of: the same bundle, wherever the user stands.
    absWorkingDir: projectPath('.'),
    entryPoints: [resolve(options.script)],
    outfile: resolve(fileOf(options)),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    // As k6 does it with TypeScript: nothing is written in older words, and no tsconfig.json is read.
    target: 'esnext',
    tsconfigRaw: '{}',
    // Also for a script that no installation is beside.
    alias: { 'breakwater/kit': projectPath('scenarios/kit.ts') },
    external: ['k6', 'k6/*', 'https://*'],
    sourcemap: 'inline',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
  } satisfies BuildOptions
}

function fileOf({ script, folder }: BundleOptions): string {
  return join(folder, `${basename(script, '.ts')}.js`)
}
