import { BreakwaterError } from '../contract/breakwater-error.ts'
import { MUTANTS, type Mutant, mutantByName } from '../simulator/mutants/mutants.ts'

/** The mutant of that name, or null where none is asked for. Throws a BreakwaterError (usage) that lists them. */
export function findMutant(name: string | undefined): Mutant | null {
  if (name === undefined) return null
  const mutant = mutantByName(name)
  if (mutant) return mutant
  throw new BreakwaterError(`unknown mutant: ${name}`, {
    hint: `The mutants are: ${MUTANTS.map((one) => one.name).join(', ')}.`,
  })
}
