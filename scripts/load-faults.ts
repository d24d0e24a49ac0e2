import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { namesAFile } from '../contract/names-a-file.ts'
import { type FaultPlan, faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { projectPath } from './project-path.ts'
import { readJsonFile } from './read-json-file.ts'

const FOLDER = projectPath('fixtures/faults')

/**
 * Reads fixtures/faults/NAME.json, or the file where the name ends in .json. Throws a BreakwaterError (usage) with every
 * problem of the file.
 */
export async function loadFaults(name: string, cwd: string): Promise<FaultPlan> {
  const isFile = namesAFile(name)
  if (!isFile && !faultPlanNames().includes(name)) {
    throw new BreakwaterError(`no fault plan named ${JSON.stringify(name)}`, {
      hint: `There are: ${faultPlanNames().join(', ')}. A file of your own ends in .json or .jsonc.`,
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(FOLDER, `${name}.json`)
  return readJsonFile({ file, shown: name, schema: faultPlanSchema, what: 'fault plan' })
}

/** The names of the plans there are. */
export function faultPlanNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}
