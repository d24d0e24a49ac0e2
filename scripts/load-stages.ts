import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { type StagesProfile, stagesSchema } from '../contract/stages.ts'
import { projectPath } from './project-path.ts'
import { readJsonFile } from './read-json-file.ts'

const FOLDER = projectPath('fixtures/stages')

/**
 * Reads fixtures/stages/NAME.json, or the file where the name ends in .json. Throws a BreakwaterError (usage) with every
 * problem of the file.
 */
export async function loadStages(name: string, cwd: string): Promise<StagesProfile> {
  const isFile = name.endsWith('.json')
  if (!isFile && !stageNames().includes(name)) {
    throw new BreakwaterError(`no profile of stages named ${JSON.stringify(name)}`, {
      hint: `There are: ${stageNames().join(', ')}. A file of your own ends in .json.`,
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(FOLDER, `${name}.json`)
  return readJsonFile({ file, shown: name, schema: stagesSchema, what: 'profile of stages' })
}

/** The names of the profiles there are. */
export function stageNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}
