/** A violation that a hunt found, as a file: the world, the schedule, and the violation that a run of them shows. */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, EXIT, fileFailure } from '../contract/breakwater-error.ts'
import { readJsonFile, readRegularFile } from '../contract/json-file.ts'
import { INTERFACE_VERSION } from '../contract/limits.ts'
import { clientRule, rejectOtherCases } from '../contract/repro-case.ts'
import { faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { huntWorldSchema, toPlan, type Violation } from './schedule.ts'
import type { Setup } from './shrink.ts'

export const huntCaseSchema = z.strictObject({
  $schema: z.string().optional(),
  specification: z
    .literal(INTERFACE_VERSION, {
      error: ({ input }) =>
        `expected "${INTERFACE_VERSION}", the version of the specification that this Breakwater checks, got ${JSON.stringify(input)}; hunt again to make a new case`,
    })
    .describe('Version of the specification that the case was found with'),
  finding: z
    .strictObject({
      rule: clientRule.describe('The violated rule'),
      client: z
        .string()
        .min(1)
        .max(500)
        .describe('`wallet N` of the stub, or a network address and a `User-Agent`'),
      shape: z.string().min(1).max(1000).describe('What was observed, without numbers and examples'),
      observed: z.string().min(1).max(2000).describe('What was observed when the case was saved'),
    })
    .describe('The violation that a run of the case shows until it is fixed'),
  world: huntWorldSchema.describe('The stub, and the length of a run'),
  schedule: faultPlanSchema.nullable().describe('The faults and their decisions; null: none are needed'),
})

export type HuntCase = z.output<typeof huntCaseSchema>

export function buildCase({ violation, schedule, world }: Setup & { violation: Violation }): HuntCase {
  const { rule, client, shape, observed } = violation
  return {
    specification: INTERFACE_VERSION,
    finding: { rule, client, shape, observed },
    world,
    schedule: toPlan(schedule, 'Found by breakwater hunt'),
  }
}

/** Returns the JSON Schema (draft 2020-12) of a case file. */
export function huntCaseJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(huntCaseSchema, { io: 'input', reused: 'ref' })
}

/** The same for the same violation: a later hunt replaces its file. */
export function nameCase({ finding: { rule, client, shape } }: Pick<HuntCase, 'finding'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([rule, client, shape]))
    .digest('hex')
    .slice(0, 8)
  return `${rule.replace(/^client\./, '').replaceAll('.', '-')}-${hash}.json`
}

const EXPLORATION = 'explore-'

/** The folder of cases that hunts write, and that later hunts run first. */
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
    recognize: rejectOtherCases('hunt'),
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

/** As the user named it, in `shown`. */
export type CasesFolder = { folder: string; shown: string }

export const CASES_HINT = 'Name a folder of cases that you can write to.'

/** Writes a case into the folder, replacing an earlier one of the same violation, and returns the name of the file. */
export function writeCase(written: HuntCase, folder: CasesFolder): string {
  return writeCaseFile(nameCase(written), written, folder)
}

export function writeCaseFile(name: string, content: object, { folder, shown }: CasesFolder): string {
  try {
    // A file of that name: the write reports it better.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`)
  } catch (cause) {
    throw new BreakwaterError(`${join(shown, name)}: cannot be written: ${fileFailure(cause)}`, {
      hint: CASES_HINT,
      exitCode: EXIT.environment,
      cause,
    })
  }
  return join(shown, name)
}

/**
 * Writes every case that can be written. `files` has an empty name for each other one, and `failure` is the first error: to throw
 * after the report, which must not be lost.
 */
export function writeCases<Finding>(
  findings: readonly Finding[],
  write: (finding: Finding) => string,
): { files: string[]; failure: unknown } {
  let failure: unknown
  const files = findings.map((finding) => {
    try {
      return write(finding)
    } catch (error) {
      failure ??= error
      return ''
    }
  })
  return { files, failure }
}
