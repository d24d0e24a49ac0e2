import { type Slo, sloSchema } from '../contract/slo.ts'
import { readNamedFile } from './read-named-file.ts'

/** Reads fixtures/slos/NAME.json, or a file. Throws a BreakwaterError (usage) with every problem of the file. */
export function loadSlo(name: string, cwd: string): Promise<Slo> {
  return readNamedFile({ name, cwd, folder: 'fixtures/slos', schema: sloSchema, what: 'file of objectives' })
}
