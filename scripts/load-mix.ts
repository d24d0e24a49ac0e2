import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { type Mix, mixSchema } from '../contract/mix.ts'
import { projectPath } from './project-path.ts'
import { readJsonFile } from './read-json-file.ts'

const FOLDER = projectPath('fixtures/mixes')

/**
 * Reads fixtures/mixes/NAME.json, or the file where the name ends in .json. Throws a BreakwaterError (usage) with every
 * problem of the file.
 */
export async function loadMix(name: string, cwd: string): Promise<Mix> {
  const isFile = name.endsWith('.json')
  if (!isFile && !mixNames().includes(name)) {
    throw new BreakwaterError(`no mix named ${JSON.stringify(name)}`, {
      hint: `There are: ${mixNames().join(', ')}. A file of your own ends in .json.`,
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(FOLDER, `${name}.json`)
  return readJsonFile({ file, shown: name, schema: mixSchema, what: 'mix' })
}

/** The names of the mixes there are. */
export function mixNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}
