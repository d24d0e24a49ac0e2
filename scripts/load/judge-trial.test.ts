import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TrialFacts } from '../../contract/capacity.ts'
import { sampleTrial } from '../../reports/capacity/sample-capacity.ts'
import { mergeSeries } from '../../reports/series/append-series.ts'
import { sumPoint } from '../../reports/series/test-points.ts'
import { SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { writeRunnerSeries } from '../../tools/bench/merge-runners.bench.ts'
import { loadSlo } from '../given-files.ts'
import { computeJudgedWindow, cutWindow, judgeFacts, readLoadStart } from './judge-trial.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-judge-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const FACTS: TrialFacts = {
  trial: 1,
  phase: 'stage',
  rate: 120,
  rateFrom: null,
  warmUpSeconds: 1,
  seconds: 4,
  judgedFrom: SYNTHETIC_START + 1,
  judgedTo: SYNTHETIC_START + 5,
  ended: 'completed',
  reason: null,
  instances: 3,
  vusMax: 30,
  generator: sampleTrial({ trial: 1, rate: 120, meanMs: 1 }).generator,
  target: null,
}

test('several files are judged the same as their merged file', async () => {
  const files = await writeRunnerSeries({ dir, runners: 3, seconds: 6, routes: 2, requestsPerSecond: 40 })
  const merged = path.join(dir, 'merged')
  const inputs = files.map((file) => ({ file, name: path.basename(file) }))
  await mergeSeries({ inputs, output: merged, version: '2.2.0', startMs: 0, nowMs: 0 })
  const judge = async (of: readonly string[]) => {
    const slo = await loadSlo('capacity', dir)
    const [result] = await judgeFacts([FACTS], { files: of, slo, isTargetLocal: false })
    return JSON.stringify(result, rounded)
  }
  const ofMerged = await judge([merged])
  expect(ofMerged).toBe(await judge(files))
  expect(JSON.parse(ofMerged)).toMatchObject({ outcome: 'pass', requests: 4 * 120, throughput: 120 })
})

/** Sums of milliseconds depend on the order in their last bits. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value
}

test('a load starts when its last k6 starts', async () => {
  const starts = await Promise.all([5100, 7300, 6200].map((ms) => written(String(ms), ms)))
  expect(await readLoadStart(starts)).toBe(7300)
  expect(await readLoadStart([...starts, await written('none')])).toBe(null)
  expect(await readLoadStart([...starts, path.join(dir, 'missing')])).toBe(null)
})

async function written(name: string, startMs?: number): Promise<string> {
  const file = path.join(dir, name)
  const start = { metric: 'load_start', type: 'gauge', min: startMs, max: startMs, last: startMs } as const
  const points = [
    sumPoint(9000, { metric: 'load_start_of_another', max: 9000 }),
    sumPoint(1, { metric: 'iterations' }),
    ...(startMs === undefined ? [] : [{ ...sumPoint(startMs, { metric: 'load_start' }), ...start }]),
  ]
  await writeFile(file, points.map((point) => `${JSON.stringify(point)}\n`).join(''))
  return file
}

test.each([
  {
    what: 'within the last second of the warm-up',
    startMs: 100_700,
    warmUpSeconds: 2,
    seconds: 5,
    window: [102, 107],
  },
  { what: 'at a whole second', startMs: 100_000, warmUpSeconds: 2, seconds: 5, window: [102, 107] },
  { what: 'without warm-up', startMs: 100_700, warmUpSeconds: 0, seconds: 5, window: [101, 105] },
  {
    what: 'after others',
    startMs: 100_700,
    warmUpSeconds: 0,
    seconds: 5,
    secondsBefore: 10,
    window: [111, 115],
  },
])('$what: $window', ({ window, ...options }) => {
  const { from, to } = computeJudgedWindow(options)
  expect([from, to]).toEqual(window)
})

test('is within the load and never longer than planned', () => {
  const whole = fc.integer({ min: 0, max: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), whole, whole, (startMs, warmUpSeconds, seconds) => {
      const { from, to } = computeJudgedWindow({ startMs, warmUpSeconds, seconds })
      expect(from * 1000).toBeGreaterThanOrEqual(
        startMs - (warmUpSeconds >= 1 ? 0 : 1) + (warmUpSeconds - 1) * 1000,
      )
      expect(to * 1000).toBeLessThanOrEqual(startMs + (warmUpSeconds + seconds) * 1000)
      expect(to - from).toBeLessThanOrEqual(seconds)
      expect(to - from).toBeGreaterThanOrEqual(
        warmUpSeconds >= 1 ? seconds : seconds - 1 - Number(seconds === 0),
      )
    }),
  )
})

test('is cut at an abort, to nothing if that came before it', () => {
  const window = { from: 100, to: 105 }
  expect(cutWindow(window, 103_900)).toEqual({ from: 100, to: 103 })
  expect(cutWindow(window, 110_000)).toEqual(window)
  expect(cutWindow(window, 100_900)).toBeNull()
})
