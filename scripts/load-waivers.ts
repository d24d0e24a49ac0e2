import { resolve } from 'node:path'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { matchesGlob } from '../contract/match-glob.ts'
import { RULES } from '../contract/rules.ts'
import { type Waiver, waiversSchema } from '../contract/waiver.ts'
import { readJsonFile } from './read-json-file.ts'

/** Reads a file of waivers. Throws a BreakwaterError (usage) with every problem; a waiver of no rule is one. */
export async function loadWaivers(file: string, cwd: string): Promise<Waiver[]> {
  const waivers = await readJsonFile({
    file: resolve(cwd, file),
    shown: file,
    schema: waiversSchema,
    what: 'list of waivers',
  })
  const lost = waivers.flatMap(({ rule }, index) =>
    RULES.some(({ id }) => matchesGlob(rule, id)) ? [] : [`\n  [${index}].rule: no rule is called ${rule}`],
  )
  if (lost.length === 0) return waivers
  throw new BreakwaterError(`${file}: not a valid list of waivers:${lost.join('')}`, {
    hint: '`breakwater smoke --list-rules` lists the rules.',
  })
}
