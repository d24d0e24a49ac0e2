import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TrialResult } from '../../contract/capacity.ts'
import { requests } from '../../reports/series/test-points.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { terminalScreen, writtenIo } from '../../tools/test/written-io.ts'
import { budgetText, showTrials, trialText } from './show-trials.ts'

const RESULT = {
  trial: 1,
  rate: 20,
  rateFrom: null,
  secondsPlanned: 7,
  outcome: 'pass',
  reason: '',
  throughput: 20,
  p95Ms: 10,
} as TrialResult // as: what the line is made of
const BUDGET = { secondsMax: 300, secondsUsed: 88, requestsMax: null, requestsUsed: 0 }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test.each([
  { budget: () => BUDGET, left: '; 212 s left' },
  { budget: null, left: '' },
])('shows the current load, then its result$left', async ({ budget, left }) => {
  const file = join(temporaryFolder(), 'series-1.ndjson')
  appendFileSync(file, `${JSON.stringify(requests(20, 10, { time: 100 }))}\n`)
  const { io, written } = writtenIo({ stderr: true, columns: () => 200 })
  const progress = showTrials(io, budget)
  progress.doing({ what: 'trial 1: 20/s, ramping up', load: { seconds: 7, seriesFiles: [file] } })
  vi.advanceTimersByTime(9000)
  await vi.waitFor(() => expect(written()).toContain('req/s'))
  progress.trial(RESULT, 'ramping up')
  progress.note('a note')
  await progress.stop()
  const { cleared, lines } = terminalScreen(written())
  expect(cleared).toContain(`trial 1: 20/s, ramping up; 7 s of 7 s${left}; 20 req/s; p50 10 ms`)
  expect(lines).toEqual([
    `trial 1: 20/s for 7 s, ramping up: pass, 20/s served, p95 10 ms${left}`,
    'a note',
    '',
  ])
})

const DECIDED = {
  trial: 3,
  rate: 412,
  rateFrom: null,
  secondsPlanned: 5,
  outcome: 'pass',
  reason: 'all objectives passed',
  throughput: 411.6,
  p95Ms: 12.34,
} as TrialResult // as: what the line is made of

test.each([
  { more: {}, text: 'trial 3: 412/s for 5 s, deciding: pass, 412/s served, p95 12.3 ms' },
  {
    more: { outcome: 'fail', reason: 'late', p95Ms: 'infinite' },
    text: 'trial 3: 412/s for 5 s, deciding: fail (late), 412/s served, p95 infinite',
  },
  {
    more: { rateFrom: 0.5, p95Ms: null, throughput: 0 },
    text: 'trial 3: 0.5 to 412/s for 5 s, deciding: pass, 0/s served',
  },
  {
    more: { axis: 'sockets', outcome: 'fail', reason: 'late', sockets: { synchronizeP90Ms: 'infinite' } },
    text: 'trial 3: 412 sockets for 5 s, deciding: fail (late), 412 served, p90 to synchronize infinite',
  },
  {
    more: { axis: 'sockets', sockets: { synchronizeP90Ms: null } },
    text: 'trial 3: 412 sockets for 5 s, deciding: pass, 412 served',
  },
  {
    more: { axis: 'sockets', recoverWithinSeconds: 10, sockets: { recovery: [{ share: 0.99, ms: 2140 }] } },
    text: 'trial 3: cut 412 sockets, deciding: pass, 412 recovered, 99 % within 2.14 s',
  },
  {
    more: { axis: 'events', sockets: { eventsPerSecond: 900, feedDelayP95Ms: 870 } },
    text: 'trial 3: 412 sockets for 5 s, deciding: pass, 412 served, 900 events/s, p95 of feed delay 870 ms',
  },
  {
    more: {
      axis: 'subscriptions',
      sockets: { synchronizeP90Ms: 12, eventsPerSecond: 900, feedDelayP95Ms: 870 },
    },
    text: 'trial 3: 412 subscriptions for 5 s, deciding: pass, 412 served, p90 to synchronize 12 ms, 900 events/s, p95 of feed delay 870 ms',
  },
  {
    more: {
      axis: 'slow-readers',
      throughput: 391.4,
      sockets: { synchronizeP90Ms: null, eventsPerSecond: 300, feedDelayP95Ms: 870 },
    },
    text: 'trial 3: 412 slow readers for 5 s, deciding: pass, 95 % of the normal sockets served, 300 events/s, p95 of feed delay 870 ms',
  },
] as const)('$text', ({ more, text }) => {
  // as: the line needs no more of the sockets
  expect(trialText({ ...DECIDED, ...more } as TrialResult, 'deciding')).toBe(text)
})

test.each([
  { secondsUsed: 87.6, requestsMax: null, text: '212 s left' },
  { secondsUsed: 87.6, requestsMax: 1000, text: '212 s and 600 requests left' },
  { secondsUsed: 400, requestsMax: 100, text: '0 s and 0 requests left' },
])('$text', ({ text, ...used }) => {
  expect(budgetText({ secondsMax: 300, requestsUsed: 400, ...used })).toBe(text)
})
