import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { z } from 'zod'
import { BreakwaterError, fileFailure } from '../contract/breakwater-error.ts'
import { type Waiver, waiversSchema } from '../contract/finding.ts'
import * as contract from '../contract/json-file.ts'
import { namesAFile } from '../contract/json-file.ts'
import { matchesGlob } from '../contract/match-glob.ts'
import { type Mix, mixSchema } from '../contract/mix.ts'
import { RULES } from '../contract/rules.ts'
import { type Slo, sloSchema } from '../contract/slo.ts'
import { type StagesProfile, stagesSchema } from '../contract/stages.ts'
import { suggestNames } from '../contract/suggest-names.ts'
import { unknownName } from '../contract/unknown-name.ts'
import { type FaultPlan, FaultPlanMisfit, faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { logDetail } from './progress/detail.ts'
import { projectPath } from './project.ts'

/**
 * Reads NAME.json from a folder of the project, or a file if the name is a path or ends in .json. Throws a
 * BreakwaterError (usage) with every problem of the file.
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
    throw unknownName(`unknown ${what} ${JSON.stringify(name)}`, {
      name,
      names,
      listed: `All are in ${folder}. The name of your own file must end in .json or .jsonc.`,
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(projectPath(folder), `${name}.json`)
  return readJsonFile({ file, shown: name, schema, what })
}

export function namesIn(folder: string): readonly string[] {
  return readdirSync(projectPath(folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}

/** Like `contract/json-file.ts`, and logs the file with `--verbose`. */
export async function readJsonFile<Schema extends z.ZodType>(
  options: Parameters<typeof contract.readJsonFile<Schema>>[0],
): Promise<z.infer<Schema>> {
  const content = await contract.readJsonFile(options)
  logDetail(`read ${options.what} ${options.file}`)
  return content
}

const MIXES = 'fixtures/mixes'

/** Reads fixtures/mixes/NAME.json, or a file. Throws a BreakwaterError (usage) with every problem of the file. */
export function loadMix(name: string, cwd: string): Promise<Mix> {
  return readNamedFile({ name, cwd, folder: MIXES, schema: mixSchema, what: 'mix' })
}

export function mixNames(): readonly string[] {
  return namesIn(MIXES)
}

export function loadSlo(name: string, cwd: string): Promise<Slo> {
  return readNamedFile({ name, cwd, folder: 'fixtures/slos', schema: sloSchema, what: 'file of objectives' })
}

const STAGES = 'fixtures/stages'

export function loadStages(name: string, cwd: string): Promise<StagesProfile> {
  return readNamedFile({ name, cwd, folder: STAGES, schema: stagesSchema, what: 'stages file' })
}

export function stageNames(): readonly string[] {
  return namesIn(STAGES)
}

export async function loadWaivers(file: string, cwd: string): Promise<Waiver[]> {
  const waivers = await readJsonFile({
    file: resolve(cwd, file),
    shown: file,
    schema: waiversSchema,
    what: 'list of waivers',
  })
  const lost = waivers.flatMap(({ rule }, index) =>
    RULES.some(({ id }) => matchesGlob(rule, id))
      ? []
      : [
          `\n  [${index}].rule: no rule matches ${JSON.stringify(rule)}; ${suggestNames(
            rule,
            RULES.map(({ id }) => id),
          )}`,
        ],
  )
  if (lost.length === 0) return waivers
  throw new BreakwaterError(`${file}: not a valid list of waivers:${lost.join('')}`, {
    hint: '`breakwater smoke --list-rules` lists all rules.',
  })
}

const FAULTS = 'fixtures/faults'

export function loadFaults(name: string, cwd: string): Promise<FaultPlan> {
  return readNamedFile({ name, cwd, folder: FAULTS, schema: faultPlanSchema, what: 'fault plan' })
}

export function faultPlanNames(): readonly string[] {
  return namesIn(FAULTS)
}

/** Rethrows a stub's start error; if its fault plan does not fit, as a BreakwaterError (usage) that names the plan. */
export function throwMisfit(error: unknown, plan: string | undefined): never {
  if (!(error instanceof FaultPlanMisfit)) throw error
  const { hint, message } = error
  throw new BreakwaterError(`${plan}: ${message}`, { ...(hint !== undefined && { hint }), cause: error })
}

/** Reads a file without parsing it; `shown` is its name as the user gave it. Throws a BreakwaterError (usage). */
export function readDumpFile(file: string, shown: string): Buffer {
  try {
    // A pipe could block forever, and a device may never end.
    const stats = statSync(file)
    if (stats.isFile() || stats.isDirectory()) return readFileSync(file)
  } catch (cause) {
    throw cannotRead(shown, fileFailure(cause), cause)
  }
  throw cannotRead(shown, 'it is a pipe or a device, not a file')
}

function cannotRead(shown: string, why: string, cause?: unknown): BreakwaterError {
  return new BreakwaterError(`${shown}: cannot be read: ${why}`, {
    hint: 'Expected a dump that --dump wrote.',
    cause,
  })
}
