import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Load, TrialOutcome, TrialResult } from '../../contract/capacity.ts'
import {
  classifyLoads,
  failsByGenerator,
  findBounds,
  isConfirmed,
  isNarrow,
  standingOf,
  widthOf,
} from './find-bounds.ts'
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
  // A tie is undecided.
  {
    trials: [
      [100, 'met'],
      [200, 'met'],
      [200, 'missed'],
    ],
    bounds: [100, 200],
  },
  // A pass above a failed load does not count.
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

test('blames the generator if it caused most of the failed time', () => {
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

test('a load is confirmed by a passed confirmation while it is good', () => {
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

test('a step of the target width is narrow despite rounding', () => {
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

describe('classify loads', () => {
  const GOAL = { relativeWidth: 0.05, trialSeconds: 5, finalSeconds: 20, rateMax: null }

  type Row = { trials: string; standing: Load['standing'] }

  // A letter per trial: met, missed, generator, unjudged; uppercase of five seconds, lowercase of two.
  test.each<Row>([
    { trials: 'M', standing: 'undecided' },
    { trials: 'MM', standing: 'lower' },
    { trials: 'X', standing: 'undecided' },
    { trials: 'XX', standing: 'undecided' },
    { trials: 'X'.repeat(3), standing: 'upper' },
    { trials: 'XMM', standing: 'lower' },
    { trials: 'MXXX', standing: 'upper' },
    { trials: 'XXMM', standing: 'lower' },
    { trials: 'MXMXX', standing: 'upper' },
    { trials: 'GGG', standing: 'generator' },
    { trials: 'GMM', standing: 'lower' },
    { trials: 'GXX', standing: 'upper' },
    { trials: 'XGG', standing: 'generator' },
    { trials: 'UUU', standing: 'undecided' },
    { trials: 'UMM', standing: 'lower' },
    // Short trials never show that a load passes; bad ones minus good ones can show that it fails.
    { trials: 'mmmmmmmmmmmm', standing: 'undecided' },
    { trials: 'xxxxx', standing: 'undecided' },
    { trials: 'xxxxxx', standing: 'upper' },
    { trials: 'mmxxxxxx', standing: 'undecided' },
    { trials: 'xMM', standing: 'lower' },
  ])('$trials: $standing', ({ trials, standing }) => {
    expect(standingOf(trialsOf(trials), GOAL)).toBe(standing)
  })

  test('one confirmation, which takes as long as four trials, decides alone, either way', () => {
    const confirmation = {
      trial: 1,
      rate: 100,
      meanMs: 1,
      phase: 'confirmation',
      secondsPlanned: 20,
    } as const
    expect(standingOf([sampleTrial(confirmation)], GOAL)).toBe('lower')
    expect(standingOf([...trialsOf('MM'), sampleTrial({ ...confirmation, outcome: 'missed' })], GOAL)).toBe(
      'upper',
    )
  })

  test('an aborted hopeless trial counts in full', () => {
    const cut = sampleTrial({
      trial: 1,
      rate: 100,
      meanMs: 1,
      seconds: 1,
      ended: 'hopeless',
      outcome: 'missed',
    })
    expect(standingOf([cut, cut, cut], GOAL)).toBe('upper')
  })

  test('lists loads by rising rate with their trials, without stages', () => {
    const at = (trial: number, rate: number) => sampleTrial({ trial, rate, meanMs: 1 })
    const stage = sampleTrial({ trial: 4, rate: 150, meanMs: 1, phase: 'stage' })
    expect(classifyLoads([at(1, 200), at(2, 100), at(3, 200), stage], GOAL)).toEqual([
      { rate: 100, standing: 'undecided', trials: [2] },
      { rate: 200, standing: 'lower', trials: [1, 3] },
    ])
  })

  const letters = (...all: string[]) =>
    fc.array(fc.constantFrom(...all), { maxLength: 12 }).map((trials) => trials.join(''))

  test('missing trials do not change a decision', () => {
    fc.assert(
      fc.property(letters('M', 'X'), (trials) => {
        const missing = Math.max(0, GOAL.finalSeconds / GOAL.trialSeconds - trials.length)
        const standing = standingOf(trialsOf(trials), GOAL)
        const worst = standing === 'lower' ? 'X' : 'M'
        if (standing !== 'undecided')
          expect(standingOf(trialsOf(trials + worst.repeat(missing)), GOAL)).toBe(standing)
      }),
    )
  })

  test('another pass never hurts a load, another miss never helps', () => {
    const order = { upper: 0, generator: 0, undecided: 1, lower: 2 }
    fc.assert(
      fc.property(letters('M', 'X', 'm', 'x'), fc.constantFrom('M', 'X', 'm', 'x'), (trials, more) => {
        const [before, after] = [trials, trials + more].map((all) => order[standingOf(trialsOf(all), GOAL)])
        const change = (after ?? 0) - (before ?? 0)
        expect(more.toUpperCase() === 'M' ? change >= 0 : change <= 0).toBe(true)
      }),
    )
  })

  const OUTCOMES: Readonly<Record<string, TrialOutcome>> = {
    M: 'met',
    X: 'missed',
    G: 'generator',
    U: 'unjudged',
  }

  function trialsOf(letters: string): TrialResult[] {
    return [...letters].map((letter, index) =>
      sampleTrial({
        trial: index + 1,
        rate: 100,
        meanMs: 1,
        secondsPlanned: letter === letter.toUpperCase() ? 5 : 2,
        outcome: OUTCOMES[letter.toUpperCase()] ?? 'unjudged',
      }),
    )
  }
})
