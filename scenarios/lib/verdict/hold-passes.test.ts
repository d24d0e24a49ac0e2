import { expect, test } from 'vitest'
import type { Finding } from '../../../contract/finding.ts'
import { holdPasses } from './hold-passes.ts'
import { type Judge, judgeProbe } from './judge.ts'

async function verdictOf(look: (held: Judge) => void): Promise<Finding | undefined> {
  const findings: Finding[] = []
  await judgeProbe({
    rules: ['a.b'],
    run: async (judge) => {
      const { held, release } = holdPasses(judge)
      look(held)
      release()
    },
    expectedOf: () => '',
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => findings.push(finding),
  })
  return findings[0]
}

test.each([
  { look: (held: Judge) => held.pass('a.b', 'at first'), verdict: 'pass', why: 'a pass stays one' },
  {
    look: (held: Judge) => {
      held.that('a.b', true, 'at first')
      held.that('a.b', false, 'later')
    },
    verdict: 'fail',
    why: 'a later failure counts',
  },
  {
    look: (held: Judge) => {
      held.fail('a.b', 'at first')
      held.pass('a.b', 'later')
    },
    verdict: 'fail',
    why: 'a later pass does not',
  },
])('$why', async ({ look, verdict }) => {
  expect((await verdictOf(look))?.verdict).toBe(verdict)
})
