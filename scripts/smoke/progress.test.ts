import { expect, test } from 'vitest'
import { progressLine } from './progress.ts'

const finding = (rule: string, verdict: string) => JSON.stringify({ finding: 1, rule, verdict })
const waiting = (rules: string[], untilMs: number) => JSON.stringify({ waiting: 1, rules, untilMs })

test.each([
  { lines: [], says: 'probing: 0 of 5 rules judged, 0 failed, 10 s' },
  {
    lines: [finding('a.b.c', 'pass'), finding('a.b.d', 'fail'), finding('a.b.d', 'fail')],
    says: 'probing: 2 of 5 rules judged, 1 failed, 10 s',
  },
  {
    lines: [waiting(['a.b.c'], 51_000)],
    says: 'probing: 0 of 5 rules judged, 0 failed, 10 s; waits until 50 s for a.b.c',
  },
  {
    lines: [
      waiting(['a.b.c', 'a.b.d'], 51_000),
      waiting(['a.b.e', 'a.b.d'], 76_000),
      finding('a.b.c', 'pass'),
    ],
    says: 'probing: 1 of 5 rules judged, 0 failed, 10 s; waits until 75 s for a.b.e and 1 more',
  },
  {
    lines: [waiting(['a.b.c'], 11_000), '{"waiting":1,"rules":["a.b'],
    says: 'probing: 0 of 5 rules judged, 0 failed, 10 s',
  },
])('$says', ({ lines, says }) => {
  expect(progressLine(lines.join('\n'), { rules: 5, startedMs: 1000, nowMs: 11_000 })).toBe(says)
})
