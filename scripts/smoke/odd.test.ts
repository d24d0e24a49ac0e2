// Real runs against a stub that fills in otherwise what is not specified: a scenario that assumes anything shows here.
import { expect, test } from 'vitest'
import { MUTANTS } from '../../simulator/mutants/mutants.ts'
import { accuse } from './accuse.ts'
import { sampleOfCommit } from './commit-sample.ts'

const RUN_MS_MAX = 180_000

test('no scenario assumes what is not specified', { timeout: RUN_MS_MAX }, async () => {
  const { exitCode, report } = await accuse(null, { choices: 'odd' })
  expect(report.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  expect(exitCode).toBe(0)
})

test.each(sampleOfCommit(MUTANTS, 4))(
  '$name is found out all the same',
  { timeout: RUN_MS_MAX },
  async (mutant) => {
    const { exitCode, accused } = await accuse(mutant, { choices: 'odd' })
    expect([...accused].sort()).toEqual([...mutant.rules].sort())
    expect(exitCode).toBe(1)
  },
)
