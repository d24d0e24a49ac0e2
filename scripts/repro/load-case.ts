import { readdirSync } from 'node:fs'
import { basename, parse, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { namesAFile } from '../../contract/names-a-file.ts'
import { type ReproCase, reproCaseSchema } from '../../contract/repro-case.ts'
import { projectPath } from '../project-path.ts'
import { readJsonFile } from '../read-json-file.ts'
import { nearestNames } from './nearest-names.ts'

const FOLDER = projectPath('fixtures/cases')

export type NamedCase = ReproCase & { name: string }

/**
 * Reads fixtures/cases/NAME.json, or the file where the name ends in .json. Throws a BreakwaterError (usage) that names
 * those that are meant, or every problem of the file.
 */
export async function loadCase(name: string, cwd: string): Promise<NamedCase> {
  const isFile = namesAFile(name)
  if (!isFile && !caseNames().includes(name)) {
    throw new BreakwaterError(`no case named ${JSON.stringify(name)}`, {
      hint: `Perhaps ${nearestNames(name, caseNames()).join(', ')}? \`breakwater repro list\` lists them all; a file of your own ends in .json or .jsonc.`,
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(FOLDER, `${name}.json`)
  const found = await readJsonFile({ file, shown: name, schema: reproCaseSchema, what: 'case' })
  return { ...found, name: parse(name).name }
}

/** The names of the cases there are. */
export function caseNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}
