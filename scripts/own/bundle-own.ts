import { readFileSync, realpathSync } from 'node:fs'
import { bundleScript } from '../k6/bundle-script.ts'
import { projectPath } from '../project-path.ts'

/** What k6 looks for beside the file that says it. */
const LOOKS_BESIDE = /\b(open|require)\s*\(|\bimport\.meta\b/

/**
 * A script of one's own as one file of the folder, for lean VUs; the script as it is where it opens files beside it, or where
 * it cannot be put into one, which k6 may take all the same.
 */
export async function bundleOwn({ script, folder }: { script: string; folder: string }): Promise<string> {
  const bundle = await bundleScript({ script, folder }).catch(() => undefined)
  if (bundle === undefined) return script
  const installation = realpathSync(projectPath('.'))
  const own = bundle.sources.filter((source) => !source.startsWith(installation))
  return own.some((source) => LOOKS_BESIDE.test(readFileSync(source, 'utf8'))) ? script : bundle.file
}
