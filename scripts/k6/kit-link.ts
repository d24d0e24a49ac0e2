import { lstatSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import { projectPath } from '../project.ts'
import { bundleScript } from './bundle-script.ts'

export const LINK = 'breakwater'

/**
 * Ensures that `breakwater` next to a script is a link to this installation, through which k6, which resolves no
 * package names, and editors find the kit. Replaces a link to another installation. Throws a BreakwaterError: usage if
 * the name is taken, environment if the link cannot be created.
 */
export function ensureKitLink(folder: string, shown: string): 'made' | 'there' {
  const link = join(folder, LINK)
  const here = realpathSync(projectPath('.'))
  const stats = lstatSync(link, { throwIfNoEntry: false })
  if (stats && !stats.isSymbolicLink()) {
    if (realpathSync(link) === here) return 'there'
    throw new BreakwaterError(`${shown}: exists and is not a link to the installation`, {
      hint: `Scripts find the kit through a link named ${LINK} next to them: move that file, or the script.`,
    })
  }
  if (stats && leadsTo(link, here)) return 'there'
  try {
    rmSync(link, { force: true })
    symlinkSync(here, link, 'junction')
  } catch (cause) {
    throw new BreakwaterError(`${shown}: cannot create the link to the installation: ${fileFailure(cause)}`, {
      hint: 'k6 finds the kit through that link: make the folder of the script writable.',
      exitCode: EXIT.environment,
      cause,
    })
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

/** Lookups that k6 resolves relative to the file that contains them. */
const LOOKS_BESIDE = /\b(open|require)\s*\(|\bimport\.meta\b/

/**
 * Bundles a custom script for lean VUs. Returns the script unchanged if it opens relative files or cannot be bundled;
 * k6 may still accept it.
 */
export async function bundleOwn({ script, folder }: { script: string; folder: string }): Promise<string> {
  const bundle = await bundleScript({ script, folder }).catch(() => undefined)
  if (bundle === undefined) return script
  // The kit opens the configuration of the run by its absolute path.
  const opensAbsolute = realpathSync(projectPath('scenarios/lib/config.ts'))
  const looksBeside = bundle.sources.some(
    (source) => source !== opensAbsolute && LOOKS_BESIDE.test(readFileSync(source, 'utf8')),
  )
  return looksBeside ? script : bundle.file
}
