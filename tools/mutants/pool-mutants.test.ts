import { expect, test } from 'vitest'
import { findDeviation, joinMutants, PROBED_MUTANTS } from '../../simulator/mutants/mutants.ts'
import { POOL, poolMutants } from './pool-mutants.ts'

test('every mutant is in one pool, and no two of a pool break the same rule or have the same part', () => {
  const pools = poolMutants(PROBED_MUTANTS, { choices: 'default', sizeMax: POOL })
  const names = pools.flatMap(({ mutants }) => mutants.map(({ name }) => name))
  expect(names.toSorted()).toEqual(PROBED_MUTANTS.map(({ name }) => name).toSorted())
  for (const { mutants } of pools) {
    expect(mutants.length).toBeLessThanOrEqual(POOL)
    const rules = mutants.flatMap(({ rules, sometimes }) => [...rules, ...sometimes])
    expect(new Set(rules).size).toBe(rules.length)
    // Throws if two change the same part of the stub.
    expect(findDeviation(mutants.reduce(joinMutants).name)).toBeDefined()
    const isOfAllRoutes = mutants.some(({ name }) => findDeviation(name)?.rest?.some(({ routes }) => !routes))
    if (isOfAllRoutes) expect(mutants).toHaveLength(1)
  }
  expect(pools.length).toBeLessThan(PROBED_MUTANTS.length / 4)
})

test('pools of one are all mutants in their order', () => {
  const pools = poolMutants(PROBED_MUTANTS, { choices: 'default', sizeMax: 1 })
  expect(pools.map(({ mutants }) => mutants)).toEqual(PROBED_MUTANTS.map((mutant) => [mutant]))
})
