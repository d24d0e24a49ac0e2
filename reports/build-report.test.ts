import { expect, test } from 'vitest'
import type { RuleResult } from '../contract/report.ts'
import type { SeriesPoint } from '../contract/series.ts'
import { feedFigures, waiveFailures } from './build-report.ts'
import { createFoldedSeries, foldPoint } from './series/fold-series.ts'
import { requests, sumPoint, trendPoint } from './series/test-points.ts'

const result = (id: string, verdict: RuleResult['verdict']): RuleResult => ({
  id,
  verdict,
  expected: '',
  observed: '',
  evidence: [],
  reason: null,
  needs: null,
  waiver: null,
})
const RULES = [result('ws.a.b', 'fail'), result('ws.a.c', 'pass'), result('auth.a.b', 'fail')]
const RUN = { startedAt: '2026-11-30T23:59:59Z' }
const waiver = (rule: string, until = '2026-11-30') => ({ rule, reason: 'known', until })

test('waives only failures of a waived rule', () => {
  const { rules, notes } = waiveFailures(RULES, { ...RUN, waivers: [waiver('ws.*')] })
  expect(rules.map(({ waiver }) => waiver)).toEqual([{ reason: 'known', until: '2026-11-30' }, null, null])
  expect(notes).toEqual([])
})

test('reports and ignores an expired waiver', () => {
  const { rules, notes } = waiveFailures(RULES, { ...RUN, waivers: [waiver('ws.a.b', '2026-11-29')] })
  expect(rules).toEqual(RULES)
  expect(notes).toEqual(['The waiver of ws.a.b ended on 2026-11-29 and counts no more: known.'])
})

test('reports an unused waiver', () => {
  const { notes } = waiveFailures(RULES, { ...RUN, waivers: [waiver('ws.a.c'), waiver('paging.*')] })
  expect(notes).toEqual([
    'The waiver of ws.a.c until 2026-11-30 is not needed any more: nothing of it failed.',
  ])
})

function computeFeedFigures(points: readonly SeriesPoint[]) {
  const series = createFoldedSeries()
  for (const point of points) foldPoint(series, point)
  return feedFigures(series)
}

const of = (count: number, ms: number, metric: string) =>
  trendPoint(Array<number>(count).fill(ms), { metric })
const socket = (outcome: string, sum: number) => sumPoint(sum, { metric: 'feed_sockets', tags: { outcome } })

test('has no feed figures without sockets', () => {
  expect(computeFeedFigures([requests(10, 5)])).toBeNull()
  expect(computeFeedFigures([])).toBeNull()
})

test('gives bounds of the delay, with each percentile that has enough samples', () => {
  const delay = computeFeedFigures([
    of(200, 10, 'feed_delay_lower_bound'),
    of(200, 30, 'feed_delay_upper_bound'),
  ])?.delay
  expect(delay?.lowerBound).toMatchObject({ samples: 200, max: 10, p99: null })
  expect(delay?.upperBound).toMatchObject({ samples: 200, max: 30, p99: null })
  expect(delay?.upperBound.p50).toBeCloseTo(30, 0)
  expect(delay?.upperBound.p95).toBeCloseTo(30, 0)
})

test('counts sockets that were never served as infinite', () => {
  const figures = computeFeedFigures([
    of(30, 20, 'feed_synchronize'),
    socket('served', 30),
    socket('unresponsive', 2),
    socket('rejected', 1),
    socket('of another version', 4),
  ])
  expect(figures?.sockets).toEqual({ served: 30, unresponsive: 2, rejected: 5 })
  expect(figures?.synchronize).toMatchObject({ samples: 37, max: 'infinite' })
  expect(figures?.synchronize?.p50).toBeCloseTo(20, 0)
})

test('counts connects and messages of all sockets', () => {
  const figures = computeFeedFigures([
    of(25, 3, 'ws_connecting'),
    sumPoint(70, { metric: 'ws_msgs_received' }),
    sumPoint(5, { metric: 'ws_msgs_received' }),
    sumPoint(9, { metric: 'ws_msgs_sent' }),
  ])
  expect(figures).toMatchObject({ delay: null, synchronize: null, sockets: null, unmeasured: [] })
  expect(figures?.messages).toEqual({ received: 75, sent: 9 })
  expect(figures?.connects).toMatchObject({ samples: 25, max: 3 })
})

test('lists reasons for unmeasured delays, most frequent first', () => {
  const unmeasured = (why: string, sum: number) =>
    sumPoint(sum, { metric: 'feed_unmeasured', tags: { reason: why } })
  expect(computeFeedFigures([unmeasured('no-time', 2), unmeasured('strange', 7)])?.unmeasured).toEqual([
    { reason: 'unknown reason (written by another version)', events: 7 },
    { reason: 'events have no time in the field that the profile names', events: 2 },
  ])
})
