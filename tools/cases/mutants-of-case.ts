import type { NamedCase } from '../../scripts/repro/load-case.ts'
import { deviationOf, MUTANTS, type Mutant } from '../../simulator/mutants/mutants.ts'

/** There the revision that is asked for is served already. */
const NOT_SHOWN = [{ name: 'reads-step-back', mutant: 'protocol-pending-served' }]

/**
 * The mutants that a case finds out: they break what it judges, in a way that shows in its story. A case has one story: a
 * deviation on one resource of several, or on a second try, need not be part of it.
 */
export function mutantsOfCase({ name, rules }: Pick<NamedCase, 'name' | 'rules'>): Mutant[] {
  return MUTANTS.filter(
    (mutant) =>
      mutant.rules.some((rule) => rules.includes(rule)) &&
      deviationOf(mutant.name) === undefined &&
      !NOT_SHOWN.some((one) => one.name === name && one.mutant === mutant.name),
  )
}
