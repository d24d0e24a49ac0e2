import { mkdir, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'
import { makeFolder } from './make-folder.ts'

/** A folder in a run folder, for as long as no file in it says whose it is. */
export const CLAIM = '.claim'

/**
 * Makes a folder for one command alone, or takes one that is there, with a mkdir of which only one command can succeed. Returns the
 * end of the claim, for when the folder holds what `mustBeFree` rejects. Throws what `mustBeFree` throws, and a BreakwaterError: usage if
 * another command has claimed it, environment if it cannot be written.
 */
export async function claimFolder(
  dir: string,
  { shown, mustBeFree }: { shown: string; mustBeFree: (names: readonly string[]) => void },
): Promise<() => Promise<void>> {
  await makeFolder(dir, { hint: 'Name another folder with --out.' })
  const names = async () => (await readdir(dir)).filter((name) => name !== CLAIM)
  mustBeFree(await names())
  const claim = join(dir, CLAIM)
  await mkdir(claim).catch((cause) => {
    throw cannotClaim(shown, cause)
  })
  const release = () => rmdir(claim).catch(() => {})
  try {
    // Another may have had it since, and be done with its claim.
    mustBeFree(await names())
  } catch (error) {
    await release()
    throw error
  }
  return release
}

function cannotClaim(shown: string, cause: NodeJS.ErrnoException): BreakwaterError {
  if (cause.code === 'EEXIST') {
    return new BreakwaterError(`${shown}: another command is beginning to write into it`, {
      hint: `Name another folder with --out. If none is running, it was killed: remove ${join(shown, CLAIM)}.`,
      cause,
    })
  }
  return new BreakwaterError(`${shown}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The folder must be writable, and the disk must have room. --out names another.',
    exitCode: EXIT.environment,
    cause,
  })
}
