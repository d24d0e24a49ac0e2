import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TrialResult } from '../../contract/capacity.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { renderRun } from '../render-run.ts'
import { fitMemory, noteBusyMachine } from './build-capacity.ts'
import { memoryText } from './capacity-texts.ts'
import { sampleCapacity, sampleTrial } from './sample-capacity.ts'
import { makeSyntheticCapacityRun, queueTarget } from './synthetic-capacity-run.ts'

const trial = sampleTrial({ trial: 1, rate: 4, meanMs: 2, outcome: 'fail' })

test.each([
  { machineBusy: 0.999, outcome: 'fail', noted: true },
  { machineBusy: 0.999, outcome: 'pass', noted: true },
  { machineBusy: 0.949, outcome: 'pass', noted: false },
  { machineBusy: null, outcome: 'pass', noted: false },
  // Its reason is the machine, or what kept it busy.
  { machineBusy: 0.999, outcome: 'generator-limited', noted: false },
] as const)('a machine that was $machineBusy busy in a trial with the outcome $outcome: $noted', (given) => {
  const { machineBusy, outcome, noted } = given
  const generator = { ...trial.generator, machineBusy }
  expect(noteBusyMachine({ ...sampleCapacity(), trials: [{ ...trial, outcome, generator }] })).toEqual(
    noted
      ? [
          'The machine of the load generator was 99.9 % busy in trial 1: latencies may include delays of this machine.',
        ]
      : [],
  )
})

test('without a trial nothing is noted', () => {
  expect(noteBusyMachine(null)).toEqual([])
})

const MB = 1_000_000
const BEFORE = 100 * MB

const buildTrial = (
  trial: number,
  sockets: number,
  afterMb: number,
  more: Pick<Partial<TrialResult>, 'throughput' | 'ended'> = {},
): TrialResult =>
  sampleTrial({
    ...{ trial, rate: sockets, meanMs: 1, axis: 'sockets', ...more },
    memory: { kind: 'resident', beforeBytes: BEFORE, afterBytes: afterMb * MB, sockets },
  })

const RAMP = [buildTrial(1, 100, 102), buildTrial(2, 200, 104), buildTrial(3, 400, 108)]

test('fits a line from the memory before the first socket', () => {
  const { memoryPerSocket, memoryReason } = fitMemory(RAMP)
  expect(memoryReason).toBeNull()
  expect(memoryPerSocket).toEqual({
    kind: 'resident',
    bytes: expect.closeTo(20_000, 6),
    standardError: expect.closeTo(0, 6),
    trials: [1, 2, 3],
    socketsMax: 400,
  })
  expect(memoryText({ ...sampleCapacity(), ...fitMemory(RAMP) })).toBe(
    '20 ± 0 KB (resident memory of the target, fitted to 3 trials with up to 400 sockets; ± one standard error).',
  )
})

test('the standard error is that of least squares', () => {
  const { memoryPerSocket } = fitMemory([buildTrial(1, 100, 103), ...RAMP.slice(1)])
  expect(memoryPerSocket?.bytes).toBeCloseTo(19_142.857, 2)
  expect(memoryPerSocket?.standardError).toBeCloseTo(1979.487, 2)
})

test('trials with as many sockets as an earlier one, or with fewer, do not count: their memory was taken before', () => {
  const later = [buildTrial(4, 300, 108), buildTrial(5, 400, 109)]
  expect(fitMemory([...RAMP, ...later]).memoryPerSocket?.trials).toEqual([1, 2, 3])
})

test('after a trial that tried more sockets, memory says nothing of fewer', () => {
  const failed = buildTrial(4, 1600, 160, { throughput: 1000 })
  expect(fitMemory([...RAMP, failed, buildTrial(5, 900, 170)]).memoryPerSocket?.trials).toEqual([1, 2, 3])
})

test.each([
  {
    what: 'no memory',
    trials: [sampleTrial({ trial: 1, rate: 100, meanMs: 1 })],
    reason: 'the target shows no memory of its process',
  },
  {
    what: 'two trials',
    trials: RAMP.slice(0, 2),
    reason: 'a fit needs 3 trials with more sockets than all before them, and has 2',
  },
  {
    what: 'sockets that were not open',
    trials: [...RAMP.slice(0, 2), buildTrial(3, 400, 108, { throughput: 390 })],
    reason: 'a fit needs 3 trials with more sockets than all before them, and has 2',
  },
  {
    what: 'a trial that was aborted',
    trials: [...RAMP.slice(0, 2), buildTrial(3, 400, 108, { ended: 'aborted' })],
    reason: 'a fit needs 3 trials with more sockets than all before them, and has 2',
  },
  {
    what: 'sockets that were cut',
    trials: RAMP.map((trial) => ({ ...trial, recoverWithinSeconds: 10 })),
    reason: 'a fit needs 3 trials with more sockets than all before them, and has 0',
  },
  {
    what: 'memory that does not change',
    trials: RAMP.map((trial) => ({
      ...trial,
      memory: trial.memory && { ...trial.memory, afterBytes: BEFORE },
    })),
    reason: 'it does not grow evenly with the sockets',
  },
  {
    what: 'memory that the process had left from an earlier load',
    trials: [buildTrial(1, 100, 100), buildTrial(2, 200, 100), buildTrial(3, 400, 108)],
    reason: 'it does not grow evenly with the sockets',
  },
  {
    what: 'memory that also grows with time',
    trials: [...RAMP, buildTrial(4, 300, 110)],
    reason: 'it also grows without more sockets',
  },
])('$what is no evidence', ({ trials, reason }) => {
  expect(fitMemory(trials)).toEqual({ memoryPerSocket: null, memoryReason: reason })
  expect(memoryText({ ...sampleCapacity(), ...fitMemory(trials) })).toBe(`omitted, ${reason}.`)
})

test('a search over the rate has no memory per socket', () => {
  expect(memoryText(sampleCapacity())).toBeNull()
})

test.each([
  { what: 'before its last second', instances: 1, lost: 2, outcome: 'inconclusive' },
  { what: 'after its last second', instances: 1, lost: 0, outcome: 'pass' },
  { what: 'of one k6 of two', instances: 2, lost: 0, outcome: 'inconclusive' },
])('a trial before others, whose series ended early, $what, is $outcome', async (given) => {
  const { instances, lost, outcome } = given
  const dir = temporaryFolder()
  const trials = [{ rate: 100, instances, samplesMissing: true as const }, { rate: 200 }]
  const [first] = await makeSyntheticCapacityRun({ dir, seed: 1, target: queueTarget(400), trials })
  const end = (first?.judgedTo ?? 0) - lost
  const file = join(dir, 'series.ndjson')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const kept = lines.filter((line) => {
    const { time, tags, type } = JSON.parse(line)
    return type !== 'end' && !(tags?.trial === '1' && time >= end)
  })
  writeFileSync(file, `${kept.join('\n')}\n`)
  const { capacity } = await renderRun({ dir })
  expect(capacity?.trials.map((each) => each.outcome)).toEqual([outcome, 'pass'])
})
