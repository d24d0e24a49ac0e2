import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { fileFailure } from '../../contract/file-failure.ts'

export type NewFile = { file: string; text: string }

/**
 * Writes files into a folder, all or, where one of them is there already, none: nothing is overwritten. Throws a
 * BreakwaterError: usage where one is there, environment where one cannot be written.
 */
export function writeNew(folder: string, files: readonly NewFile[]): void {
  for (const { file } of files) {
    if (lstatSync(join(folder, file), { throwIfNoEntry: false })) throw isThere(file)
  }
  for (const { file, text } of files) {
    try {
      writeFileSync(join(folder, file), text, { flag: 'wx' })
    } catch (cause) {
      throw cannotWrite(file, cause)
    }
  }
}

function isThere(file: string): BreakwaterError {
  return new BreakwaterError(`${file}: is there already, and nothing is overwritten`, {
    hint: 'Choose another name, or move the file.',
  })
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The working directory must be writable.',
    exitCode: EXIT.environment,
    cause,
  })
}
