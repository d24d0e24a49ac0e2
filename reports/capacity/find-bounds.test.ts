import { expect, test } from 'vitest'
import type { TrialOutcome, TrialResult } from '../../contract/capacity.ts'
import { failsByGenerator, findBounds, isConfirmed, isNarrow, widthOf } from './find-bounds.ts'
import { sampleTrial } from './sample-capacity.ts'

const GOAL = { relativeWidth: 0.05, trialSeconds: 5, finalSeconds: 20, rateMax: null }

type Row = {
  trials: readonly [rate: number, outcome: TrialOutcome][]
  bounds: [lower: number | undefined, upper: number | undefined]
}

test.each<Row>([
  { trials: [], bounds: [undefined, undefined] },
  { trials: [[100, 'met']], bounds: [100, undefined] },
  { trials: [[100, 'missed']], bounds: [undefined, 100] },
  {
    trials: [
      [100, 'met'],
      [200, 'missed'],
    ],
    bounds: [100, 200],
  },
  // As many for it as against it: not yet.
  {
    trials: [
      [100, 'met'],
      [200, 'met'],
      [200, 'missed'],
    ],
    bounds: [100, 200],
  },
  // What is met above a load that is missed is not counted upon.
  {
    trials: [
      [100, 'met'],
      [200, 'missed'],
      [300, 'met'],
    ],
    bounds: [100, 200],
  },
  {
    trials: [
      [100, 'met'],
      [200, 'unjudged'],
      [400, 'generator'],
    ],
    bounds: [100, 400],
  },
])('$trials: between $bounds', ({ trials, bounds }) => {
  const { lower, upper } = findBounds(trials.map(trialOf), GOAL)
  expect([lower?.rate, upper?.rate]).toEqual(bounds)
})

test('a load fails by the generator where that is to blame for most of the time that was not met', () => {
  const upper = (...outcomes: TrialOutcome[]) =>
    findBounds(
      outcomes.map((outcome, index) => trialOf([100, outcome], index)),
      GOAL,
    ).upper
  const told = [
    upper('generator'),
    upper('generator', 'missed'),
    upper('generator', 'met'),
    upper('missed', 'generator', 'generator'),
    upper('missed', 'missed', 'generator'),
  ]
  expect(told.map((load) => load !== undefined && failsByGenerator(load))).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
})

test('a load is confirmed by a confirmation that was met, while it is good', () => {
  const confirmation = sampleTrial({
    trial: 3,
    rate: 100,
    meanMs: 1,
    phase: 'confirmation',
    secondsPlanned: 20,
  })
  const confirmed = (results: TrialResult[]) => findBounds(results, GOAL).loads.map(isConfirmed)
  expect(confirmed([trialOf([100, 'met'], 0)])).toEqual([false])
  expect(confirmed([trialOf([100, 'met'], 0), confirmation])).toEqual([true])
  const missed = { ...confirmation, outcome: 'missed' } as const
  expect(confirmed([missed, missed, confirmation])).toEqual([false])
})

test('a step down of the width aimed at is narrow, however the rates are rounded', () => {
  const wide = []
  for (let upper = 100; upper < 2000; upper += 1) {
    if (!isNarrow(widthOf({ rate: Math.round(upper * 0.95) }, { rate: upper }), 0.05)) wide.push(upper)
  }
  expect(wide).toEqual([])
  expect(isNarrow(widthOf({ rate: 94 }, { rate: 100 }), 0.05)).toBe(false)
})

function trialOf([rate, outcome]: readonly [number, TrialOutcome], index: number): TrialResult {
  return sampleTrial({ trial: index + 1, rate, outcome, meanMs: 1 })
}
