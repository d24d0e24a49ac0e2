// Real runs against another stub: other blocks, and what is not specified filled in otherwise. A case that assumes anything
// shows here. One of the cases, which the commit chooses; `npm run nightly` plays all, by several seeds.
import { expect, test } from 'vitest'
import { CASE_MS_MAX, PLAYED_CASES, runCase } from '../test/run-command-line.ts'
import { sampleNames } from '../test/tree-sample.ts'

test.each(sampleNames(PLAYED_CASES, 1))(
  '%s holds with another seed and the other choices',
  { timeout: CASE_MS_MAX },
  async (name) => {
    const { exitCode, rules } = await runCase(name, ['--seed', '11', '--choices', 'odd'])
    expect(rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(exitCode).toBe(0)
  },
)
