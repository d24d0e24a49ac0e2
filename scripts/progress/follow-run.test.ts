import { expect, test } from 'vitest'
import { createRuleProgress } from './show-progress.ts'

const finding = (rule: string, verdict: string) => JSON.stringify({ finding: 1, rule, verdict })
const waiting = (rules: string[], untilMs: number) => JSON.stringify({ waiting: 1, rules, untilMs })

test.each([
  { lines: [], says: '0 of 5 rules, 0 failed', waits: undefined },
  {
    lines: [finding('a.b.c', 'pass'), finding('a.b.d', 'fail'), finding('a.b.d', 'fail')],
    says: '2 of 5 rules, 1 failed',
    waits: undefined,
  },
  {
    lines: [waiting(['a.b.c'], 51_000)],
    says: '0 of 5 rules, 0 failed',
    waits: 'waits until 50 s for a.b.c',
  },
  {
    lines: [
      waiting(['a.b.c', 'a.b.d'], 51_000),
      waiting(['a.b.e', 'a.b.d'], 76_000),
      finding('a.b.c', 'pass'),
    ],
    says: '1 of 5 rules, 0 failed',
    waits: 'waits until 75 s for a.b.e and 1 more',
  },
  {
    lines: [waiting(['a.b.c'], 11_000), '{"waiting":1,"rules":["a.b', 'what other code printed'],
    says: '0 of 5 rules, 0 failed',
    waits: undefined,
  },
])('$says; $waits', ({ lines, says, waits }) => {
  const progress = createRuleProgress(5)
  for (const line of lines) progress.add(line)
  expect(progress.text()).toBe(says)
  expect(progress.waitingText({ startedMs: 1000, nowMs: 11_000 })).toBe(waits)
})
