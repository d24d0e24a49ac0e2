import { expect, test } from 'vitest'
import { sampleCapacity, sampleTrial } from '../capacity/sample-capacity.ts'
import { trialMarks } from './trial-marks.ts'

const SPAN = { firstSecond: 100, lastSecond: 119 }

test('a trial is marked where it was judged, in the colour of what came of it', () => {
  const capacity = { ...sampleCapacity(), trials: [sampleTrial({ trial: 1, rate: 100, meanMs: 3 })] }
  expect(marksOf([{ trial: 1, judgedFrom: 102, judgedTo: 107 }], capacity)).toEqual([
    { from: 2, to: 7, label: 'trial 1, 100/s', colour: 'pass' },
  ])
})

test('a mark lies within the run; one that never began, or lies outside, is none', () => {
  const trials = [
    { trial: 1, judgedFrom: 90, judgedTo: 105 },
    { trial: 2, judgedFrom: 115, judgedTo: 130 },
    { trial: 3, judgedFrom: null, judgedTo: null },
    { trial: 4, judgedFrom: 120, judgedTo: 125 },
  ]
  expect(marksOf(trials, null).map(({ from, to, colour }) => [from, to, colour])).toEqual([
    [0, 5, 'skipped'],
    [15, 20, 'skipped'],
  ])
})

function marksOf(
  trials: readonly { trial: number; judgedFrom: number | null; judgedTo: number | null }[],
  capacity: Parameters<typeof trialMarks>[0]['capacity'],
) {
  return trialMarks({ trials: trials.map((trial) => ({ ...trial, rate: 100 })), capacity, span: SPAN })
}
