import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SeriesPoint } from '../../contract/series.ts'
import { requests, sumPoint } from '../../reports/series/test-points.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { terminalScreen, writtenIo } from '../../tools/test/written-io.ts'
import { createRecentLoad, createRuleProgress, followLoad, showProgress } from './show-progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('polls twice per second, shows the state and removes it at the end', async () => {
  const { io, written } = writtenIo({ stderr: true })
  let looks = 0
  const look = async () => {
    looks += 1
  }
  const { stop } = showProgress(io, { look, parts: () => (looks === 3 ? [] : [`look ${looks}`]) })
  await vi.advanceTimersByTimeAsync(2000)
  await stop()
  await vi.advanceTimersByTimeAsync(2000)
  expect(terminalScreen(written())).toEqual({
    lines: [''],
    cleared: ['look 1', 'look 2', 'look 4', 'look 5'],
  })
  expect(looks).toBe(6)
})

test('a poll that fails or is slow ends nothing', async () => {
  const { io, written } = writtenIo({ stderr: true })
  let looks = 0
  const look = async () => {
    looks += 1
    if (looks === 1) throw new Error('the file is gone')
    if (looks === 2) await new Promise((lookEnds) => setTimeout(lookEnds, 1900)) // of the fake clock
  }
  const { stop } = showProgress(io, { look, parts: () => [`look ${looks}`] })
  await vi.advanceTimersByTimeAsync(2900)
  await stop()
  expect(terminalScreen(written()).cleared).toEqual(['look 1', 'look 2', 'look 3'])
})

test('with --quiet nothing is read', async () => {
  const { io } = writtenIo({ stderr: true }, 'quiet')
  const look = vi.fn(async () => {})
  const { stop } = showProgress(io, { look, parts: () => ['x'] })
  await vi.advanceTimersByTimeAsync(5000)
  await stop()
  expect(look).not.toHaveBeenCalled()
})

const vus = (time: number) => sumPoint(5, { metric: 'vus', type: 'gauge', time })
const failed = (sum: number, count: number, time: number) =>
  sumPoint(sum, { metric: 'http_req_failed', type: 'rate', count, time })

function steady(count: number, ms: number, from: number, to: number): SeriesPoint[] {
  return Array.from({ length: to - from + 1 }, (_, at) => requests(count, ms, { time: from + at }))
}

test.each([
  { what: 'nothing yet', points: [], text: '' },
  { what: 'no request yet', points: [vus(100)], text: '' },
  { what: 'one second', points: steady(5, 10, 100, 100), text: '5 req/s' },
  { what: 'enough for a median', points: steady(20, 10, 100, 100), text: '20 req/s; p50 10 ms' },
  {
    what: 'enough for p95, and errors',
    points: [...steady(40, 10, 100, 109), failed(2, 400, 109)],
    text: '40 req/s; p95 10 ms; errors 0.5 %',
  },
  {
    what: 'data older than ten seconds',
    points: [...steady(1000, 900, 100, 104), failed(9, 9, 104), ...steady(30, 10, 105, 114)],
    text: '30 req/s; p95 10 ms',
  },
  {
    what: 'late samples of a second',
    points: [...steady(3, 10, 100, 101), ...steady(4, 10, 100, 100)],
    text: '5 req/s',
  },
  {
    what: 'a load that has ended',
    points: [...steady(5, 10, 100, 109), ...Array.from({ length: 20 }, (_, at) => vus(110 + at))],
    text: '0 req/s',
  },
  {
    what: 'requests to other servers',
    points: [requests(50, 10, { tags: { route_group: 'control-api' }, time: 100 })],
    text: '',
  },
])('$what: $text', ({ points, text }) => {
  const load = createRecentLoad()
  for (const point of points) load.add(JSON.stringify(point))
  expect(load.parts().join('; ')).toBe(text)
})

test.each(['', '{"time":1', 'null', '{"type":"header","format":1}', '{"type":"end"}'])(
  'skips an invalid line: %s',
  (line) => {
    const load = createRecentLoad()
    load.add(line)
    expect(load.parts()).toEqual([])
  },
)

test('combines several k6 processes as their files grow', async () => {
  const dir = temporaryFolder()
  const [a, b] = [join(dir, 'series-1.ndjson'), join(dir, 'series-2.ndjson')]
  const write = (file: string, points: readonly SeriesPoint[]) =>
    appendFileSync(file, points.map((point) => `${JSON.stringify(point)}\n`).join(''))
  const load = followLoad([a, b])
  await load.look()
  expect(load.parts()).toEqual([])
  write(a, steady(5, 10, 100, 101))
  await load.look()
  expect(load.parts().join('; ')).toBe('5 req/s')
  write(b, steady(10, 10, 100, 101))
  await load.look()
  expect(load.parts().join('; ')).toBe('15 req/s; p50 10 ms')
})

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
