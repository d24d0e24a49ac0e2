import { BreakwaterError } from '../contract/breakwater-error.ts'
import { MUTANTS, type Mutant, mutantByName } from '../simulator/mutants/mutants.ts'
import type { Io } from './io.ts'

/** The mutant of that name, or null where none is asked for. Throws a BreakwaterError (usage) that names its neighbours. */
export function findMutant(name: string | undefined): Mutant | null {
  if (name === undefined) return null
  const mutant = mutantByName(name)
  if (mutant) return mutant
  const neighbours = MUTANTS.map((one) => one.name).filter((one) => groupOf(one) === groupOf(name))
  const listed = '`breakwater smoke --list-mutants` lists them all'
  throw new BreakwaterError(`unknown mutant: ${name}`, {
    hint:
      neighbours.length === 0 ? `${listed}.` : `Those of its group are: ${neighbours.join(', ')}; ${listed}.`,
  })
}

/** Throws a BreakwaterError (usage) where both are given: no option of ours breaks somebody else's exchange. */
export function mutantOrTarget(given: { mutant?: string | undefined; target?: string | undefined }): void {
  if (given.target === undefined || given.mutant === undefined) return
  throw new BreakwaterError('--mutant breaks the stub, and --target names another exchange', {
    hint: 'Leave out one of the two.',
  })
}

function groupOf(name: string): string {
  return name.slice(0, name.indexOf('-'))
}

/** `smoke --list-mutants`. */
export function listMutants({ json, io }: { json?: boolean; io: Io }): void {
  if (json) io.document(JSON.stringify(MUTANTS, null, 2))
  else for (const { name, breaks, rules } of MUTANTS) io.stdout(`${name}  ${breaks} (${rules.join(', ')})`)
}
