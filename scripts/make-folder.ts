import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'

/**
 * Makes a folder, and those above it that are missing, one at a time: Node's recursive mkdir goes round for ever where a
 * folder exists and takes no new ones, as in /proc. Throws a BreakwaterError: usage where a file stands in the way, environment
 * where the system refuses.
 */
export async function makeFolder(dir: string, options: { hint: string }): Promise<void> {
  if (await isFolder(dir, options)) return
  await makeFolder(dirname(dir), options)
  try {
    await mkdir(dir)
  } catch (cause) {
    // Another may have been first.
    if (await isFolder(dir, options)) return
    throw cannot(dir, cause, options)
  }
}

async function isFolder(path: string, { hint }: { hint: string }): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (cause) {
    // as: errors of node:fs carry a code. ENOTDIR: the caller finds the file above.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return false
    throw cannot(path, cause, { hint })
  }
  throw new BreakwaterError(`${path}: is a file, not a folder`, { hint })
}

function cannot(path: string, cause: unknown, { hint }: { hint: string }): BreakwaterError {
  const { code } = cause as NodeJS.ErrnoException
  // What is above it is there: the file system takes no folders.
  const reason = code === 'ENOENT' ? 'its file system takes none' : fileFailure(cause)
  return new BreakwaterError(`${path}: the folder cannot be made: ${reason}`, {
    hint,
    exitCode: EXIT.environment,
    cause,
  })
}
