import { expect, test } from 'vitest'
import type { Finding } from '../../../contract/finding.ts'
import { byItself } from './by-itself.ts'
import { CannotJudge, CannotProbe, NotServed } from './cannot.ts'
import { judgeProbe } from './judge.ts'

test('what keeps one rule from being judged keeps no other', async () => {
  const findings: Finding[] = []
  await judgeProbe({
    rules: ['a', 'b', 'c', 'd'],
    expectedOf: () => '',
    scenario: 's',
    nowMs: () => 0,
    emit: (finding) => findings.push(finding),
    run: async (judge) => {
      await Promise.all([
        byItself(judge, 'a', async () => {
          throw new CannotProbe('no wallet')
        }),
        byItself(judge, 'b', async () => {
          throw new CannotJudge('no answer')
        }),
        byItself(judge, 'd', async () => {
          throw new NotServed('404 each time', ['GET /swaps -> 404'])
        }),
        byItself(judge, 'c', async () => judge.pass('c', 'seen')),
      ])
    },
  })
  expect(findings.map(({ rule, verdict, reason, observed }) => [rule, verdict, reason ?? observed])).toEqual([
    ['c', 'pass', 'seen'],
    ['a', 'skipped', 'no wallet'],
    ['d', 'fail', '404 each time'],
    ['b', 'inconclusive', 'no answer'],
  ])
})
