import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'

/**
 * Writes a file whole or not at all: under a random new name in the same folder first, then renamed, so that no link is followed.
 * Throws a BreakwaterError (environment) where the folder cannot be written.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { flag: 'wx' })
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
      hint: 'The run folder must be writable, and the disk have room. What was measured is kept: `breakwater report` renders it then.',
      exitCode: EXIT.environment,
      cause,
    })
  }
}
