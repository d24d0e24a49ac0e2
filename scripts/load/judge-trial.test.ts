import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TrialFacts } from '../../contract/capacity.ts'
import { sampleTrial } from '../../reports/capacity/sample-capacity.ts'
import { mergeSeries } from '../../reports/series/append-series.ts'
import { SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { writeRunnerSeries } from '../../tools/bench/merge-runners.bench.ts'
import { loadSlo } from '../given-files.ts'
import { judgeFacts } from './judge-trial.ts'

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
