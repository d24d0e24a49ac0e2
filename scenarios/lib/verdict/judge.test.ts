import { expect, test } from 'vitest'
import type { Finding } from '../../../contract/finding.ts'
import { check } from './check.ts'
import {
  byItself,
  CannotJudge,
  CannotProbe,
  holdPasses,
  type Judge,
  judgeProbe,
  NotServed,
  reportFailuresOnly,
  requireChoice,
} from './judge.ts'

async function collectFindings(rules: string[], run: (judge: Judge) => Promise<void>): Promise<Finding[]> {
  const findings: Finding[] = []
  await judgeProbe({
    rules,
    run,
    getExpected: (rule) => `what ${rule} expects`,
    scenario: 'test',
    nowMs: () => 5,
    emit: (finding) => findings.push(finding),
  })
  return findings
}

test('emits the verdict of the probe on a rule', async () => {
  const findings = await collectFindings(['a.b'], async (judge) =>
    judge.that('a.b', false, '200', ['GET / -> 200']),
  )
  expect(findings).toEqual([
    {
      finding: 1,
      rule: 'a.b',
      verdict: 'fail',
      expected: 'what a.b expects',
      observed: '200',
      evidence: ['GET / -> 200'],
      scenario: 'test',
      at: 5,
    },
  ])
})

test('reports a rule without a verdict as inconclusive', async () => {
  const findings = await collectFindings(['a.b'], async () => {})
  expect(findings).toMatchObject([
    { verdict: 'inconclusive', reason: 'the probe ended without a verdict on it' },
  ])
})

test.each([
  {
    thrown: new CannotJudge('it kept returning 503'),
    verdict: 'inconclusive',
    reason: 'it kept returning 503',
  },
  { thrown: new CannotProbe('no wallet'), verdict: 'skipped', reason: 'no wallet' },
  {
    thrown: new TypeError('x is undefined'),
    verdict: 'inconclusive',
    reason: expect.stringContaining('x is undefined'),
  },
  { thrown: 'text', verdict: 'inconclusive', reason: 'the probe failed with an error: text' },
])(
  'turns $thrown into $verdict for the rules still open, and keeps what was said',
  async ({ thrown, verdict, reason }) => {
    const findings = await collectFindings(['a.b', 'a.c'], async (judge) => {
      judge.pass('a.b', 'seen')
      throw thrown
    })
    expect(findings).toMatchObject([
      { rule: 'a.b', verdict: 'pass' },
      { rule: 'a.c', verdict, reason },
    ])
  },
)

test('takes one verdict per rule, and none on a rule that was not selected', async () => {
  const findings = await collectFindings(['a.b'], async (judge) => {
    judge.fail('a.b', 'first')
    judge.pass('a.b', 'second')
    judge.pass('a.c', 'not selected')
  })
  expect(findings.map(({ rule, observed }) => [rule, observed])).toEqual([['a.b', 'first']])
})

test('retries inconclusive rules as often as allowed, and keeps earlier verdicts', async () => {
  const tries: string[] = []
  const findings: Finding[] = []
  await judgeProbe({
    rules: ['sure', 'late', 'never'],
    getExpected: () => '',
    scenario: 'test',
    nowMs: () => 5,
    emit: (finding) => findings.push(finding),
    again: () => tries.length < 3,
    async run(judge) {
      tries.push('try')
      judge.that('sure', tries.length === 1, `in try ${tries.length}`)
      if (tries.length < 3) judge.inconclusive('late', 'restarted')
      judge.pass('late', `in try ${tries.length}`)
      throw new CannotJudge(`restarted in try ${tries.length}`)
    },
  })
  expect(findings.map(({ rule, verdict, observed, reason }) => [rule, verdict, observed || reason])).toEqual([
    ['sure', 'pass', 'in try 1'],
    ['late', 'pass', 'in try 3'],
    ['never', 'inconclusive', 'restarted in try 3'],
  ])
  expect(tries).toHaveLength(3)
})

test('does not retry after all rules are judged', async () => {
  let tries = 0
  await judgeProbe({
    rules: ['a.b'],
    getExpected: () => '',
    scenario: 'test',
    nowMs: () => 5,
    emit: () => {},
    again: () => true,
    async run(judge) {
      tries++
      judge.pass('a.b', '200')
    },
  })
  expect(tries).toBe(1)
})

test('cuts long texts, and omits evidence after the fiftieth line', async () => {
  const long = 'x'.repeat(4001)
  const [finding] = await collectFindings(['a.b'], async (judge) =>
    judge.fail('a.b', long, Array(51).fill(long)),
  )
  const cut = `${'x'.repeat(4000)}… (1 more characters)`
  expect(finding?.observed).toBe(cut)
  expect(finding?.evidence).toEqual(Array(50).fill(cut))
})

test('an error in one rule does not affect the others', async () => {
  const findings: Finding[] = []
  await judgeProbe({
    rules: ['a', 'b', 'c', 'd'],
    getExpected: () => '',
    scenario: 's',
    nowMs: () => 0,
    emit: (finding) => findings.push(finding),
    run: async (judge) => {
      await Promise.all([
        byItself(judge, 'a', async () => {
          throw new CannotProbe('no wallet')
        }),
        byItself(judge, 'b', async () => {
          throw new CannotJudge('no response')
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
    ['b', 'inconclusive', 'no response'],
  ])
})

async function judgeOnce(check: (held: Judge) => void): Promise<Finding | undefined> {
  const findings: Finding[] = []
  await judgeProbe({
    rules: ['a.b'],
    run: async (judge) => {
      const { held, release } = holdPasses(judge)
      check(held)
      release()
    },
    getExpected: () => '',
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => findings.push(finding),
  })
  return findings[0]
}

test.each([
  { check: (held: Judge) => held.pass('a.b', 'at first'), verdict: 'pass', why: 'a pass stays one' },
  {
    check: (held: Judge) => {
      held.that('a.b', true, 'at first')
      held.that('a.b', false, 'later')
    },
    verdict: 'fail',
    why: 'a later failure counts',
  },
  {
    check: (held: Judge) => {
      held.fail('a.b', 'at first')
      held.pass('a.b', 'later')
    },
    verdict: 'fail',
    why: 'a later pass does not',
  },
])('$why', async ({ check, verdict }) => {
  expect((await judgeOnce(check))?.verdict).toBe(verdict)
})

test('returns a choice of the profile', () => {
  expect(requireChoice('data.pool', 'the path of the pool in events')).toBe('data.pool')
})

test('throws if it is null', () => {
  expect(() => requireChoice(null, 'the path of a ticket')).toThrow(
    new CannotProbe('the profile does not state the path of a ticket', 'choice'),
  )
})

const PAGE = { total: 1, limit: 1, offset: 0 }

test.each([
  { what: 'what fits', body: PAGE, problems: [] },
  { what: 'additional fields', body: { ...PAGE, next: null }, problems: [] },
  { what: 'integers of 64 bits', body: { ...PAGE, total: 2 ** 62 }, problems: [] },
  { what: 'a fraction', body: { ...PAGE, total: 1.5 }, problems: ['/total must be integer'] },
  { what: 'digits', body: { ...PAGE, limit: '1' }, problems: ['/limit must be integer'] },
  { what: 'nothing', body: undefined, problems: ['(top level) must be object'] },
])('describes the problems of $what', ({ body, problems }) => {
  expect(check('pagination', body)).toEqual(problems)
})

test('a judge that reports only failures leaves all other verdicts to the check that decides', async () => {
  const findings = await collectFindings(['a.b', 'a.c'], async (judge) => {
    const added = reportFailuresOnly(judge)
    added.inconclusive('a.b', 'too little')
    added.pass('a.b', 'fits')
    added.that('a.b', true, 'fits')
    judge.pass('a.b', 'the deciding check')
    added.that('a.c', false, 'breaks')
    judge.pass('a.c', 'the deciding check')
  })
  expect(findings.map(({ rule, verdict, observed }) => [rule, verdict, observed])).toEqual([
    ['a.b', 'pass', 'the deciding check'],
    ['a.c', 'fail', 'breaks'],
  ])
})
