import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Waiver } from '../../contract/finding.ts'
import type { Mix } from '../../contract/mix.ts'
import type { Run } from '../../contract/run.ts'
import type { ChoiceSetName, Target } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { findDeviation, MUTANTS, type Mutant, mutantByName } from '../../simulator/mutants/mutants.ts'
import type { Io } from '../io.ts'
import type { Refuses } from '../target/permission.ts'
import { commandLine } from '../terminal-text.ts'

/** A validated run: nothing has been started or written yet. Fields that a kind of run lacks are omitted. */
export type Plan = PlanOfOptions & {
  job: Run['job']
  rules: readonly string[]
  durationSecondsMax: number
  target: Target | null
  slo?: Slo | null
  /** Why latency is not judged although requested. */
  sloSkipped?: string | null
  slow?: boolean
  mix?: Mix | null
  arrivals?: { name: string }
  requestsMax?: number | null
  refuses?: Refuses
  waivers?: readonly Waiver[]
  /** The minimum share of the selected rules that must be judged. */
  minJudged?: number | null
  customRules?: Run['customRules']
  constantLoad?: Run['load']
  instances?: number
  /** Identifies generators with comparable figures; omitted: this machine. */
  machine?: string
  search?: Run['search']
}

type PlanOfOptions = {
  command: string
  strict: boolean
  json: boolean
  out: string | null
  world: string
  seed: number
  choices: ChoiceSetName
  mutant: Mutant | null
}

/**
 * The part of a plan that every command takes unchanged from its options. Throws a BreakwaterError (usage) for an
 * unknown mutant.
 */
export function buildPlan(options: {
  io: Io
  strict?: true
  json?: true
  output?: string
  world: string
  seed: number
  choices: ChoiceSetName
  mutant?: string
}): PlanOfOptions {
  const { io, strict, json, output, world, seed, choices, mutant } = options
  return {
    command: commandLine(io.argv),
    strict: strict === true,
    json: json === true,
    out: output ?? null,
    world,
    seed,
    choices,
    mutant: findMutant(mutant),
  }
}

/**
 * Null: none requested. Throws a BreakwaterError (usage) that lists similar names, or if joined mutants cannot be in one
 * stub.
 */
export function findMutant(name: string | undefined): Mutant | null {
  if (name === undefined) return null
  const mutant = mutantByName(name)
  if (mutant) {
    findDeviation(mutant.name)
    return mutant
  }
  const unknown = name.split('+').find((part) => !mutantByName(part)) ?? name
  throw unknownName(`unknown mutant ${JSON.stringify(unknown)}`, {
    name: unknown,
    names: MUTANTS.map((one) => one.name),
    listed: '`breakwater smoke --list-mutants` lists all mutants.',
  })
}

/** Throws a BreakwaterError (usage) if both are given: only the stub has mutants. */
export function mutantOrTarget(given: { mutant?: string | undefined; target?: string | undefined }): void {
  if (given.target === undefined || given.mutant === undefined) return
  throw new BreakwaterError('--mutant applies only to the stub, not to --target', {
    hint: 'Omit one of them.',
  })
}

export function listMutants({ json, io }: { json?: boolean; io: Io }): void {
  if (json) io.document(JSON.stringify(MUTANTS, null, 2))
  else for (const { name, breaks, rules } of MUTANTS) io.stdout(`${name}  ${breaks} (${rules.join(', ')})`)
}
