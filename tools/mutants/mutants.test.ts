// Real runs: chain, stub, k6, report. A sample of the pools of mutants, drawn by the commit; `npm run mutants` runs all.
import { expect, test } from 'vitest'
import { runMutant } from './mutant-matrix.ts'
import { findProblems, samplePools } from './test-pools.ts'

const RUN_MS_MAX = 180_000

test('the correct stub passes every rule, with none inconclusive', { timeout: RUN_MS_MAX }, async () => {
  const { exitCode, report } = await runMutant(null)
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(exitCode).toBe(0)
})

test.each(samplePools('default', 2))(
  '$name are detected, and no other rule fails',
  { timeout: RUN_MS_MAX },
  async ({ pool }) => expect(await findProblems(pool)).toEqual([]),
)
