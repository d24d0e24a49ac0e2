// Real runs: chain, stub, k6, report. `npm run mutants` tries every mutant; here are some, others with each commit.
import { expect, test } from 'vitest'
import { MUTANTS } from '../../simulator/mutants/mutants.ts'
import { sampleOfTree } from '../test/tree-sample.ts'
import { accuse } from './mutant-matrix.ts'

const RUN_MS_MAX = 180_000

test('the stub as it is passes every rule, with nothing left open', { timeout: RUN_MS_MAX }, async () => {
  const { exitCode, report } = await accuse(null)
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(exitCode).toBe(0)
})

test.each(sampleOfTree(MUTANTS, 2))(
  '$name is found out, and nothing else is accused',
  { timeout: RUN_MS_MAX },
  async (mutant) => {
    const { exitCode, accused } = await accuse(mutant)
    expect([...accused].sort()).toEqual([...mutant.rules].sort())
    expect(exitCode).toBe(1)
  },
)
