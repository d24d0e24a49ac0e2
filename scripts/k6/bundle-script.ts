import { basename, join } from 'node:path'
import { build } from 'esbuild'

/**
 * Puts a scenario and all that it imports into one file of the folder, and answers its path. k6 would take the scenario as it
 * is, but each of its VUs pays some 8 kB for each module of it, be it empty: with a hundred modules that is most of a VU.
 * Errors still name the sources, by a map in the file. For scenarios of this project: one that opens files beside it would
 * look for them in the folder.
 */
export async function bundleScript({ script, folder }: { script: string; folder: string }): Promise<string> {
  const file = join(folder, `${basename(script, '.ts')}.js`)
  await build({
    entryPoints: [script],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    // k6 has what the sources use: as it does itself with TypeScript, nothing is written in older words.
    target: 'esnext',
    external: ['k6', 'k6/*'],
    sourcemap: 'inline',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
  })
  return file
}
