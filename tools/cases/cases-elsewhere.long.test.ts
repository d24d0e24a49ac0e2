// Runs one case, drawn by the commit, with another seed and other choices, so that its assumptions show. `npm run nightly`
// runs all cases with several seeds.
import { expect, test } from 'vitest'
import { CASE_MS_MAX, runCase, TESTED_CASES } from '../test/run-command-line.ts'
import { sampleNames } from '../test/tree-sample.ts'

test.each(sampleNames(TESTED_CASES, 1))(
  '%s passes with another seed and the other choices',
  { timeout: CASE_MS_MAX },
  async (name) => {
    const { exitCode, rules } = await runCase(name, ['--seed', '11', '--choices', 'alternative'])
    expect(rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(exitCode).toBe(0)
  },
)
