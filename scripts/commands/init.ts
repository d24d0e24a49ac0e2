/** `breakwater init scenario NAME`: a scenario of one's own to start from. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { fileFailure } from '../../contract/file-failure.ts'
import type { Io } from '../io.ts'
import { ensureKitLink, LINK } from '../own/kit-link.ts'
import { scenarioText } from '../own/scenario-text.ts'

/**
 * Writes NAME.k6.ts, and the link by which it finds the kit, into the working directory. Throws a BreakwaterError (usage)
 * where the name does not do, or a file has it already: nothing is overwritten.
 */
export function runInitScenario({ name, io }: { name: string; io: Io }): ExitCode {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new BreakwaterError(`${JSON.stringify(name)} does not do as a name`, {
      hint: 'Expected letters, digits, hyphens and underscores, at most 64: NAME.k6.ts is written into this folder.',
    })
  }
  const file = `${name}.k6.ts`
  const link = ensureKitLink(io.cwd, LINK)
  try {
    writeFileSync(join(io.cwd, file), scenarioText(name), { flag: 'wx' })
  } catch (cause) {
    throw cannotWrite(file, cause)
  }
  io.stdout(`${file}: written`)
  if (link === 'made') io.stdout(`${LINK}: made, a link to this installation; keep it out of version control`)
  io.stdout(`Run it: breakwater run ${file}`)
  return EXIT.ok
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  const { code } = cause as NodeJS.ErrnoException // as: errors of node:fs carry a code
  if (code === 'EEXIST') {
    return new BreakwaterError(`${file}: is there already, and nothing is overwritten`, {
      hint: 'Choose another name, or move the file.',
      cause,
    })
  }
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The working directory must be writable.',
    exitCode: EXIT.environment,
    cause,
  })
}
