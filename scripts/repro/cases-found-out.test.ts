// Real runs against mutants: each case finds out an exchange that breaks what it judges, and accuses of nothing else. Of the
// mutants of each rule one that the commit chooses.
import { expect, test } from 'vitest'
import { MUTANTS } from '../../simulator/mutants/mutants.ts'
import { projectPath } from '../project-path.ts'
import { sampleOfCommit } from '../smoke/commit-sample.ts'
import { CASE_MS_MAX, PLAYED_CASES, runCase } from '../test/run-case.ts'
import { loadCase } from './load-case.ts'

/** There the winner’s answer is the last to arrive, and sets the cookies that a loser’s has cleared. */
const NOT_SHOWN = [{ name: 'refresh-loser-retries-too-early', mutant: 'auth-refresh-loser-clears' }]

const found = await Promise.all(
  PLAYED_CASES.map(async (name) => {
    const { rules } = await loadCase(name, projectPath('.'))
    return rules.flatMap((rule) => {
      const mutants = MUTANTS.filter((mutant) => mutant.rules.includes(rule) && isShown(name, mutant.name))
      return sampleOfCommit(mutants, 1).map((mutant) => ({ name, rule, mutant }))
    })
  }),
)

test.each(found.flat())(
  '$name finds out $mutant.name by $rule',
  { timeout: CASE_MS_MAX },
  async ({ name, rule, mutant }) => {
    const { exitCode, failed } = await runCase(name, ['--mutant', mutant.name])
    expect(failed).toContain(rule)
    expect(failed.filter((one) => !mutant.rules.includes(one))).toEqual([])
    expect(exitCode).toBe(1)
  },
)

function isShown(name: string, mutant: string): boolean {
  return !NOT_SHOWN.some((one) => one.name === name && one.mutant === mutant)
}
