import { lstatSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import { projectPath } from '../project.ts'
import { bundleScript } from './bundle-script.ts'

/** The name by which scripts import the kit: `./breakwater/scenarios/kit.ts`. */
export const LINK = 'breakwater'

/**
 * Makes sure that `breakwater`, beside a script, is a link to this installation: k6, which resolves no package names, finds
 * the kit through it, and so does an editor. A link to another installation is made anew. Answers whether it was made. Throws
 * a BreakwaterError: usage where something else has the name, environment where no link can be made.
 */
export function ensureKitLink(folder: string, shown: string): 'made' | 'there' {
  const link = join(folder, LINK)
  const here = realpathSync(projectPath('.'))
  const stats = lstatSync(link, { throwIfNoEntry: false })
  if (stats && !stats.isSymbolicLink()) {
    if (realpathSync(link) === here) return 'there'
    throw new BreakwaterError(`${shown}: is there, and no link to the installation`, {
      hint: `Scripts find the kit by a link of the name ${LINK} beside them: move what has the name, or the script.`,
    })
  }
  if (stats && leadsTo(link, here)) return 'there'
  try {
    rmSync(link, { force: true })
    symlinkSync(here, link, 'junction')
  } catch (cause) {
    throw new BreakwaterError(
      `${shown}: the link to the installation cannot be made: ${fileFailure(cause)}`,
      {
        hint: 'The folder of the script must be writable, for a link by which k6 finds the kit.',
        exitCode: EXIT.environment,
        cause,
      },
    )
  }
  return 'made'
}

function leadsTo(link: string, target: string): boolean {
  try {
    return realpathSync(link) === target
  } catch {
    return false
  }
}

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
