// Real runs: chain, stub, k6, report. A sample of mutants, drawn by the commit; `npm run mutants` runs all.
import { expect, test } from 'vitest'
import { PROBED_MUTANTS } from '../../simulator/mutants/mutants.ts'
import { sampleByTree } from '../test/tree-sample.ts'
import { runMutant } from './mutant-matrix.ts'

const RUN_MS_MAX = 180_000

test('the correct stub passes every rule, with none inconclusive', { timeout: RUN_MS_MAX }, async () => {
  const { exitCode, report } = await runMutant(null)
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(exitCode).toBe(0)
})

test.each(sampleByTree(PROBED_MUTANTS, 2))(
  '$name is detected, and no other rule fails',
  { timeout: RUN_MS_MAX },
  async (mutant) => {
    const { exitCode, reported } = await runMutant(mutant)
    expect([...reported].sort()).toEqual([...mutant.rules].sort())
    expect(exitCode).toBe(1)
  },
)
