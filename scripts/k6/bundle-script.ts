import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { projectPath } from '../project-path.ts'

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
export async function bundleScript({ script, folder }: { script: string; folder: string }): Promise<Bundle> {
  const file = join(folder, `${basename(script, '.ts')}.js`)
  // From where it names what it is made of: the same bundle, wherever the user stands.
  const absWorkingDir = projectPath('.')
  const { metafile } = await build({
    absWorkingDir,
    entryPoints: [resolve(script)],
    outfile: resolve(file),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    // As k6 does it with TypeScript: nothing is written in older words, and no tsconfig.json is read.
    target: 'esnext',
    tsconfigRaw: '{}',
    external: ['k6', 'k6/*', 'https://*'],
    sourcemap: 'inline',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
  })
  return { file, sources: Object.keys(metafile.inputs).map((path) => resolve(absWorkingDir, path)) }
}
