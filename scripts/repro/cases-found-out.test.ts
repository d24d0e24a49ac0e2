// Real runs against mutants: each case finds out an exchange that breaks what it judges, and accuses of nothing else. Of the
// mutants of each rule one that the commit chooses.
import { expect, test } from 'vitest'
import { projectPath } from '../project-path.ts'
import { sampleOfCommit } from '../smoke/commit-sample.ts'
import { CASE_MS_MAX, PLAYED_CASES, runCase } from '../test/run-case.ts'
import { loadCase } from './load-case.ts'
import { mutantsOfCase } from './mutants-of-case.ts'

const found = await Promise.all(
  PLAYED_CASES.map(async (name) => {
    const played = await loadCase(name, projectPath('.'))
    return played.rules.flatMap((rule) => {
      const mutants = mutantsOfCase(played).filter((mutant) => mutant.rules.includes(rule))
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
