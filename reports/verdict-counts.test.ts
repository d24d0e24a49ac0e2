import { expect, test } from 'vitest'
import type { Need, Verdict } from '../contract/finding.ts'
import type { RuleResult } from '../contract/report.ts'
import { sampleReport } from './sample-report.ts'
import { verdictSentence } from './verdict-counts.ts'

const rule = (verdict: Verdict, needs: Need | null = null): RuleResult => ({
  id: 'a.b',
  verdict,
  expected: '',
  observed: '',
  evidence: [],
  reason: null,
  needs,
  waiver: null,
})

const times = (count: number, result: RuleResult) => Array.from({ length: count }, () => result)

test.each<[string, RuleResult[]]>([
  ['172 of 172 rules judged and passed', times(172, rule('pass'))],
  [
    '160 of 172 rules judged and passed, 12 not judged (9 need --include-slow, 3 need a control API)',
    [
      ...times(3, rule('skipped', 'control')),
      ...times(160, rule('pass')),
      ...times(9, rule('skipped', 'slow')),
    ],
  ],
  [
    '3 of 7 rules judged, 1 failed, 4 not judged (1 needs an API token, 1 skipped, 2 inconclusive)',
    [
      ...times(2, rule('pass')),
      rule('fail'),
      rule('skipped', 'token'),
      rule('skipped'),
      ...times(2, rule('inconclusive')),
    ],
  ],
  [
    '2 of 2 rules judged, 1 failed (1 of them waived)',
    [rule('pass'), { ...rule('fail'), waiver: { reason: 'known', until: '2026-12-31' } }],
  ],
  ['0 of 1 rules judged, 1 not judged (1 needs more wallets)', [rule('skipped', 'wallets')]],
  ['nothing to judge', []],
])('%s', (sentence, rules) => {
  expect(verdictSentence({ ...sampleReport(), verdict: 'pass', slo: null, rules })).toBe(`pass: ${sentence}`)
})

test('names objectives that were not judged, with the reason', () => {
  const report = sampleReport()
  const run = {
    ...report.run,
    sloSkipped: 'exchange.example: the profile does not allow a load (allow.load)',
  }
  expect(verdictSentence({ ...report, run, slo: null, rules: [rule('fail')] })).toBe(
    'fail: 1 of 1 rules judged, 1 failed; objectives not judged (exchange.example: the profile does not allow a load (allow.load))',
  )
})

test('a missed objective comes first, with what was observed', () => {
  const { slo, ...report } = sampleReport()
  const [passed, open] = slo?.objectives ?? []
  if (passed?.kind !== 'latency' || open === undefined) throw new Error('the sample has other objectives')
  const missed = { ...passed, quantile: 0.5, latencyMsMax: 100, observedMs: 240, verdict: 'fail' as const }
  const sentence = (...objectives: (typeof missed | typeof passed | typeof open)[]) =>
    verdictSentence({ ...report, rules: [rule('pass')], slo: { name: 'smoke', objectives } })
  expect(sentence(missed)).toBe(
    'fail: 1 of 1 objectives missed (p50 of all requests at most 100 ms: 240 ms); 1 of 1 rules judged and passed',
  )
  expect(sentence(passed, missed, { ...missed, latencyMsMax: 200 }, open)).toBe(
    'fail: 2 of 4 objectives missed (p50 of all requests at most 100 ms: 240 ms; p50 of all requests at most 200 ms: 240 ms); 1 of 1 rules judged and passed; 1 of 4 objectives passed',
  )
})

test('objectives follow the rules, or appear alone', () => {
  expect(verdictSentence({ ...sampleReport(), rules: [] })).toBe('fail: 1 of 2 objectives passed')
})
