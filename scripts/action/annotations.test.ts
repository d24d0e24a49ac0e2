import { expect, test } from 'vitest'
import type { Report } from '../../contract/report.ts'
import { SAMPLE_COMPARISON } from '../../reports/compare/sample-comparison.ts'
import { sampleReport } from '../../reports/sample-report.ts'
import { comparisonAnnotations, reportAnnotations } from './run-action.ts'

const report = sampleReport()

test('an error for each failure, and one warning of what is open', () => {
  expect(reportAnnotations(report, 10)).toEqual([
    {
      kind: 'error',
      title: 'paging.limit.rejects-101: failed',
      message: expect.stringMatching(/^expected: .*\nobserved: 200 ``<b>$/),
    },
    {
      kind: 'warning',
      title: '1 of 3 rules are left open',
      message: 'ws.rooms.at-most-32: the report says why.',
    },
  ])
})

test('failures beyond the bound are counted', () => {
  const [first, second, ...others] = reportAnnotations({ ...report, rules: repeated(12, 'fail') }, 1)
  expect([first?.title, second?.kind, second?.message, others]).toEqual([
    'rule.0: failed',
    'notice',
    "11 more are in the job's summary and in the report.",
    [],
  ])
})

test('what is open is named up to five', () => {
  const [warning] = reportAnnotations({ ...report, exitCode: 0, rules: repeated(7, 'inconclusive') }, 1)
  expect(warning?.message).toBe('rule.0, rule.1, rule.2, rule.3, rule.4 and 2 more: the report says why.')
})

test('an objective that failed is annotated with the observed figure', () => {
  const [latency] = report.slo?.objectives ?? []
  if (latency === undefined) throw new Error('the sample has objectives')
  const slo = { name: 'x', objectives: [{ ...latency, verdict: 'fail' as const }] }
  expect(reportAnnotations({ ...report, rules: [], slo }, 10)).toEqual([
    {
      kind: 'error',
      title: 'objective: failed',
      message: 'p95 of all requests at most 250 ms: 38 ms over 5100 requests',
    },
  ])
})

test('a waived failure, and a run that passed, have no errors', () => {
  const waiver = { reason: 'known', until: '2027-01-31' }
  const rules = report.rules.map((rule) => ({ ...rule, waiver }))
  expect(reportAnnotations({ ...report, exitCode: 0, rules: rules.slice(0, 2) }, 10)).toEqual([])
})

test('a run that failed otherwise says so', () => {
  const [first, ...others] = reportAnnotations(
    { ...report, verdict: 'inconclusive', exitCode: 3, rules: [], slo: null },
    1,
  )
  expect([first, others]).toEqual([
    { kind: 'error', title: 'smoke: inconclusive', message: 'inconclusive: nothing to judge' },
    [],
  ])
})

test('a comparison names what got worse', () => {
  expect(comparisonAnnotations(SAMPLE_COMPARISON, 10)).toEqual([
    { kind: 'error', title: 'p95 of GET /<b>: worse', message: expect.any(String) },
  ])
  expect(comparisonAnnotations({ ...SAMPLE_COMPARISON, differences: [], exitCode: 3 }, 10)).toHaveLength(1)
  expect(comparisonAnnotations({ ...SAMPLE_COMPARISON, differences: [], exitCode: 0 }, 10)).toEqual([])
})

function repeated(count: number, verdict: 'fail' | 'inconclusive'): Report['rules'] {
  const [rule] = report.rules
  if (rule === undefined) throw new Error('the sample has rules')
  return Array.from({ length: count }, (_, index) => ({ ...rule, id: `rule.${index}`, verdict }))
}
