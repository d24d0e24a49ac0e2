// Real runs against another stub: other blocks, and what is not specified filled in otherwise. A case that assumes anything
// shows here. A third of the cases, which the commit chooses; `npm run nightly` plays all, by several seeds.
import { expect, test } from 'vitest'
import { CASE_MS_MAX, PLAYED_CASES, runCase } from '../test/run-command-line.ts'
import { sampleOfTree } from '../test/tree-sample.ts'

const SAMPLE = Math.ceil(PLAYED_CASES.length / 3)
const sample = sampleOfTree(
  PLAYED_CASES.map((name) => ({ name })),
  SAMPLE,
)

test.each(sample)(
  '$name holds with another seed and the other choices',
  { timeout: CASE_MS_MAX },
  async ({ name }) => {
    const { exitCode, rules } = await runCase(name, ['--seed', '11', '--choices', 'odd'])
    expect(rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(exitCode).toBe(0)
  },
)
