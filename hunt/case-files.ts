/** The folder of cases that hunts write, and that later hunts run first. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../contract/breakwater-error.ts'
import { readJsonFile, readRegularFile } from '../contract/json-file.ts'
import { type HuntCase, huntCaseSchema, nameCase } from './hunt-case.ts'

const EXPLORATION = 'explore-'

export type NamedHuntCase = HuntCase & {
  /** As the user named it. */
  file: string
}

/** Throws a BreakwaterError (usage) that names the file and every problem in it. */
export async function readCase(file: string, shown: string): Promise<NamedHuntCase> {
  const read = await readJsonFile({
    file,
    shown,
    schema: huntCaseSchema,
    what: 'case of a hunt',
    read: readRegularFile,
  })
  return { ...read, file: shown }
}

/**
 * All cases of a folder, by name; none if there is no such folder. Throws as `readCase` does. Leaves out those of
 * `breakwater explore`, which keeps its cases in the same folder unless it is given another.
 */
export async function readCases(folder: string, shown: string): Promise<NamedHuntCase[]> {
  const names = listNames(folder, shown).filter(
    (name) => name.endsWith('.json') && !name.startsWith(EXPLORATION),
  )
  return Promise.all(names.sort().map((name) => readCase(join(folder, name), join(shown, name))))
}

function listNames(folder: string, shown: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [] // as: errors of node:fs carry a code
    throw new BreakwaterError(`${shown}: cannot be read: ${fileFailure(cause)}`, {
      hint: 'Name a folder of cases, or a new one.',
      cause,
    })
  }
}

/** Writes a case into the folder, replacing an earlier one of the same violation, and returns the name of the file. */
export function writeCase(written: HuntCase, { folder, shown }: { folder: string; shown: string }): string {
  const name = nameCase(written)
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), `${JSON.stringify(written, null, 2)}\n`)
  } catch (cause) {
    throw new BreakwaterError(`${join(shown, name)}: cannot be written: ${fileFailure(cause)}`, {
      hint: 'Name a folder that you can write to.',
      exitCode: EXIT.environment,
      cause,
    })
  }
  return join(shown, name)
}
