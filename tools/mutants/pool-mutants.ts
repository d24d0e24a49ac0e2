/** Pools: mutants that one run can tell apart, so that the matrix needs fewer runs. */

import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { findDeviation, type Mutant } from '../../simulator/mutants/mutants.ts'
import { shuffleByTree } from '../test/tree-sample.ts'

export type Pool = { choices: ChoiceSetName; mutants: readonly Mutant[] }

/** Mutants in a run. More gain little: a pool has one mutant of the feed at most, and these are a sixth of all. */
export const POOL = 6

/**
 * Groups mutants so that no two of a pool break the same rule, change the same route, or change the same part of the stub.
 * Which ones share a pool depends on the commit: two errors that hide each other in one pool are apart after a change.
 */
export function poolMutants(
  mutants: readonly Mutant[],
  { choices, sizeMax }: { choices: ChoiceSetName; sizeMax: number },
): Pool[] {
  const pools: { members: Mutant[]; taken: Set<string> }[] = []
  for (const mutant of sizeMax === 1 ? mutants : shuffleByTree(mutants)) {
    const needs = listNeeds(mutant, choices)
    const fits = ({ members, taken }: (typeof pools)[number]) =>
      members.length < sizeMax && ![ALL_ROUTES, ...needs].some((need) => taken.has(need))
    const found = needs.includes(ALL_ROUTES) ? undefined : pools.find(fits)
    const pool = found ?? { members: [], taken: new Set() }
    if (found === undefined) pools.push(pool)
    pool.members.push(mutant)
    for (const need of needs) pool.taken.add(need)
  }
  return pools.map(({ members }) => ({ choices, mutants: members }))
}

const ALL_ROUTES = 'all routes'

/** Rules, routes and parts of the stub that no other mutant of its pool may have. */
function listNeeds({ name, rules, sometimes }: Mutant, choices: ChoiceSetName): string[] {
  const { rest = [], ...others } = findDeviation(name) ?? {}
  const routes = rest.flatMap(({ routes }) => routes?.(CHOICE_SETS[choices]) ?? [ALL_ROUTES])
  return [...rules, ...sometimes, ...routes, ...Object.keys(others)]
}
