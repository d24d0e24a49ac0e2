import { readFileSync, statSync } from 'node:fs'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'

/**
 * What stands in the file, whatever it is; `shown` is its name as the user gave it. Throws a BreakwaterError (usage).
 */
export function readDumpFile(file: string, shown: string): Buffer {
  try {
    // A pipe could keep us waiting for ever, a device never end.
    const stats = statSync(file)
    if (stats.isFile() || stats.isDirectory()) return readFileSync(file)
  } catch (cause) {
    throw cannotRead(shown, fileFailure(cause), cause)
  }
  throw cannotRead(shown, 'it is a pipe or a device, not a file')
}

function cannotRead(shown: string, why: string, cause?: unknown): BreakwaterError {
  return new BreakwaterError(`${shown}: cannot be read: ${why}`, {
    hint: 'Expected a dump of a world there, as --dump writes one.',
    cause,
  })
}
