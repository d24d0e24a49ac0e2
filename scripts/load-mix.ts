import { type Mix, mixSchema } from '../contract/mix.ts'
import { namesIn, readNamedFile } from './read-named-file.ts'

const FOLDER = 'fixtures/mixes'

/**
 * Reads fixtures/mixes/NAME.json, or a file. Throws a BreakwaterError (usage) with every problem of the file.
 */
export function loadMix(name: string, cwd: string): Promise<Mix> {
  return readNamedFile({ name, cwd, folder: FOLDER, schema: mixSchema, what: 'mix' })
}

/** The names of the mixes there are. */
export function mixNames(): readonly string[] {
  return namesIn(FOLDER)
}
