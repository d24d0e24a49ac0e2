import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Load, TrialOutcome, TrialResult } from '../../contract/capacity.ts'
import {
  classifyLoad,
  classifyLoads,
  computeRelativeWidth,
  failsByGenerator,
  findBounds,
  isConfirmed,
  isNarrow,
} from './find-bounds.ts'
import { sampleTrial } from './sample-capacity.ts'

const GOAL = { relativeWidth: 0.05, trialSeconds: 5, finalSeconds: 20, rateMax: null }

type Row = {
  trials: readonly [rate: number, outcome: TrialOutcome][]
  bounds: [lower: number | undefined, upper: number | undefined]
}

test.each<Row>([
  { trials: [], bounds: [undefined, undefined] },
  { trials: [[100, 'pass']], bounds: [100, undefined] },
  { trials: [[100, 'fail']], bounds: [undefined, 100] },
  {
    trials: [
      [100, 'pass'],
      [200, 'fail'],
    ],
    bounds: [100, 200],
  },
  // A tie is undecided.
  {
    trials: [
      [100, 'pass'],
      [200, 'pass'],
      [200, 'fail'],
    ],
    bounds: [100, 200],
  },
  // A pass above a failed load does not count.
  {
    trials: [
      [100, 'pass'],
      [200, 'fail'],
      [300, 'pass'],
    ],
    bounds: [100, 200],
  },
  {
    trials: [
      [100, 'pass'],
      [200, 'inconclusive'],
      [400, 'generator-limited'],
    ],
    bounds: [100, 400],
  },
])('$trials: between $bounds', ({ trials, bounds }) => {
  const { lower, upper } = findBounds(trials.map(buildTrial), GOAL)
  expect([lower?.rate, upper?.rate]).toEqual(bounds)
})

test('blames the generator if it caused most of the failed time', () => {
  const upper = (...outcomes: TrialOutcome[]) =>
    findBounds(
      outcomes.map((outcome, index) => buildTrial([100, outcome], index)),
      GOAL,
    ).upper
  const told = [
    upper('generator-limited'),
    upper('generator-limited', 'fail'),
    upper('generator-limited', 'pass'),
    upper('fail', 'generator-limited', 'generator-limited'),
    upper('fail', 'fail', 'generator-limited'),
  ]
  expect(told.map((load) => load !== undefined && failsByGenerator(load))).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
})

test('a load is confirmed by a passed confirmation while it is good', () => {
  const confirmation = sampleTrial({
    trial: 3,
    rate: 100,
    meanMs: 1,
    phase: 'confirmation',
    secondsPlanned: 20,
  })
  const confirmed = (results: TrialResult[]) => findBounds(results, GOAL).loads.map(isConfirmed)
  expect(confirmed([buildTrial([100, 'pass'], 0)])).toEqual([false])
  expect(confirmed([buildTrial([100, 'pass'], 0), confirmation])).toEqual([true])
  const missed = { ...confirmation, outcome: 'fail' } as const
  expect(confirmed([missed, missed, confirmation])).toEqual([false])
})

test('a step of the target width is narrow despite rounding', () => {
  const wide = []
  for (let upper = 100; upper < 2000; upper += 1) {
    if (!isNarrow(computeRelativeWidth({ rate: Math.round(upper * 0.95) }, { rate: upper }), 0.05))
      wide.push(upper)
  }
  expect(wide).toEqual([])
  expect(isNarrow(computeRelativeWidth({ rate: 94 }, { rate: 100 }), 0.05)).toBe(false)
})

function buildTrial([rate, outcome]: readonly [number, TrialOutcome], index: number): TrialResult {
  return sampleTrial({ trial: index + 1, rate, outcome, meanMs: 1 })
}

describe('classify loads', () => {
  const GOAL = { relativeWidth: 0.05, trialSeconds: 5, finalSeconds: 20, rateMax: null }

  type Row = { trials: string; bound: Load['bound'] }

  // A letter per trial: M passes, X fails, G is generator-limited, U inconclusive; uppercase of five seconds, lowercase of two.
  test.each<Row>([
    { trials: 'M', bound: 'undecided' },
    { trials: 'MM', bound: 'lower' },
    { trials: 'X', bound: 'undecided' },
    { trials: 'XX', bound: 'undecided' },
    { trials: 'X'.repeat(3), bound: 'upper' },
    { trials: 'XMM', bound: 'lower' },
    { trials: 'MXXX', bound: 'upper' },
    { trials: 'XXMM', bound: 'lower' },
    { trials: 'MXMXX', bound: 'upper' },
    { trials: 'GGG', bound: 'generator-limited' },
    { trials: 'GMM', bound: 'lower' },
    { trials: 'GXX', bound: 'upper' },
    { trials: 'XGG', bound: 'generator-limited' },
    { trials: 'UUU', bound: 'undecided' },
    { trials: 'UMM', bound: 'lower' },
    // Short trials never show that a load passes; bad ones minus good ones can show that it fails.
    { trials: 'mmmmmmmmmmmm', bound: 'undecided' },
    { trials: 'xxxxx', bound: 'undecided' },
    { trials: 'xxxxxx', bound: 'upper' },
    { trials: 'mmxxxxxx', bound: 'undecided' },
    { trials: 'xMM', bound: 'lower' },
  ])('$trials: $bound', ({ trials, bound }) => {
    expect(classifyLoad(parseTrials(trials), GOAL)).toBe(bound)
  })

  test('one confirmation, which takes as long as four trials, decides alone, either way', () => {
    const confirmation = {
      trial: 1,
      rate: 100,
      meanMs: 1,
      phase: 'confirmation',
      secondsPlanned: 20,
    } as const
    expect(classifyLoad([sampleTrial(confirmation)], GOAL)).toBe('lower')
    expect(
      classifyLoad([...parseTrials('MM'), sampleTrial({ ...confirmation, outcome: 'fail' })], GOAL),
    ).toBe('upper')
  })

  test('an aborted hopeless trial counts in full', () => {
    const cut = sampleTrial({
      trial: 1,
      rate: 100,
      meanMs: 1,
      seconds: 1,
      ended: 'aborted',
      outcome: 'fail',
    })
    expect(classifyLoad([cut, cut, cut], GOAL)).toBe('upper')
  })

  test('lists loads by rising rate with their trials, without stages', () => {
    const at = (trial: number, rate: number) => sampleTrial({ trial, rate, meanMs: 1 })
    const stage = sampleTrial({ trial: 4, rate: 150, meanMs: 1, phase: 'stage' })
    expect(classifyLoads([at(1, 200), at(2, 100), at(3, 200), stage], GOAL)).toEqual([
      { rate: 100, bound: 'undecided', trials: [2] },
      { rate: 200, bound: 'lower', trials: [1, 3] },
    ])
  })

  const letters = (...all: string[]) =>
    fc.array(fc.constantFrom(...all), { maxLength: 12 }).map((trials) => trials.join(''))

  test('missing trials do not change a decision', () => {
    fc.assert(
      fc.property(letters('M', 'X'), (trials) => {
        const missing = Math.max(0, GOAL.finalSeconds / GOAL.trialSeconds - trials.length)
        const bound = classifyLoad(parseTrials(trials), GOAL)
        const worst = bound === 'lower' ? 'X' : 'M'
        if (bound !== 'undecided')
          expect(classifyLoad(parseTrials(trials + worst.repeat(missing)), GOAL)).toBe(bound)
      }),
    )
  })

  test('another pass never hurts a load, another miss never helps', () => {
    const order = { upper: 0, 'generator-limited': 0, undecided: 1, lower: 2 }
    fc.assert(
      fc.property(letters('M', 'X', 'm', 'x'), fc.constantFrom('M', 'X', 'm', 'x'), (trials, more) => {
        const [before, after] = [trials, trials + more].map(
          (all) => order[classifyLoad(parseTrials(all), GOAL)],
        )
        const change = (after ?? 0) - (before ?? 0)
        expect(more.toUpperCase() === 'M' ? change >= 0 : change <= 0).toBe(true)
      }),
    )
  })

  const OUTCOMES: Readonly<Record<string, TrialOutcome>> = {
    M: 'pass',
    X: 'fail',
    G: 'generator-limited',
    U: 'inconclusive',
  }

  function parseTrials(letters: string): TrialResult[] {
    return [...letters].map((letter, index) =>
      sampleTrial({
        trial: index + 1,
        rate: 100,
        meanMs: 1,
        secondsPlanned: letter === letter.toUpperCase() ? 5 : 2,
        outcome: OUTCOMES[letter.toUpperCase()] ?? 'inconclusive',
      }),
    )
  }
})
