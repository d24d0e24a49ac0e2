import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { namesAFile } from '../contract/names-a-file.ts'
import { projectPath } from './project-path.ts'
import { readJsonFile } from './read-json-file.ts'

/**
 * Reads NAME.json of a folder of the project, or the file where the name is a path or ends in .json. Throws a BreakwaterError
 * (usage) with every problem of the file.
 */
export async function readNamedFile<Schema extends z.ZodType>(options: {
  name: string
  cwd: string
  folder: string
  schema: Schema
  what: string
}): Promise<z.infer<Schema>> {
  const { name, cwd, folder, schema, what } = options
  const isFile = namesAFile(name) || name.includes('/')
  const names = namesIn(folder)
  if (!isFile && !names.includes(name)) {
    throw new BreakwaterError(`no ${what} named ${JSON.stringify(name)}`, {
      hint: `There are: ${names.join(', ')}. A file of your own ends in .json or .jsonc.`,
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(projectPath(folder), `${name}.json`)
  return readJsonFile({ file, shown: name, schema, what })
}

/** The names of the files there are. */
export function namesIn(folder: string): readonly string[] {
  return readdirSync(projectPath(folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}
