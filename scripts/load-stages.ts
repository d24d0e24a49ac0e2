import { type StagesProfile, stagesSchema } from '../contract/stages.ts'
import { namesIn, readNamedFile } from './read-named-file.ts'

const FOLDER = 'fixtures/stages'

/**
 * Reads fixtures/stages/NAME.json, or a file. Throws a BreakwaterError (usage) with every problem of the file.
 */
export function loadStages(name: string, cwd: string): Promise<StagesProfile> {
  return readNamedFile({ name, cwd, folder: FOLDER, schema: stagesSchema, what: 'profile of stages' })
}

/** The names of the profiles there are. */
export function stageNames(): readonly string[] {
  return namesIn(FOLDER)
}
