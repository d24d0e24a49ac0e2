import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TrialResult } from '../../contract/capacity.ts'
import { requests } from '../../reports/series/test-points.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { terminalScreen, writtenIo } from '../../tools/test/written-io.ts'
import { showTrials } from './show-trials.ts'

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
