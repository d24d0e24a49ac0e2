import { resolve } from 'node:path'
import { type Slo, sloSchema } from '../contract/slo.ts'
import { readJsonFile } from './read-json-file.ts'

/** Reads a file of service level objectives. Throws a BreakwaterError (usage) with every problem. */
export function loadSlo(file: string, cwd: string): Promise<Slo> {
  return readJsonFile({
    file: resolve(cwd, file),
    shown: file,
    schema: sloSchema,
    what: 'file of objectives',
  })
}
