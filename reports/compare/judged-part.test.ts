import { expect, test } from 'vitest'
import { LOAD_START } from '../../contract/scenario-config.ts'
import { SYNTHETIC_START as START } from '../synthetic-run.ts'
import { createJudgedPart } from './read-run-summary.ts'

const LOAD = { rate: 10, warmUpSeconds: 3, seconds: 4 }
const HOUR = 3600

type Seen = { time: number; jumped?: number; loadStartMs?: number }

/** The passed-on seconds by the time of their point, and the number of judged seconds. */
function judge(
  options: { load?: typeof LOAD; trials?: { judgedFrom: number | null; judgedTo: number | null }[] },
  seen: readonly Seen[],
  complete = true,
) {
  const handed: [time: number, second: number][] = []
  const part = createJudgedPart({
    load: options.load ?? null,
    trials: options.trials ?? [],
    use: ({ time }, second) => handed.push([time - START, second]),
  })
  for (const { time, jumped = 0, loadStartMs } of seen) {
    const metric = loadStartMs === undefined ? 'iterations' : LOAD_START
    const max = loadStartMs === undefined ? {} : { max: START * 1000 + loadStartMs }
    const point = { time: START + time, metric, type: 'gauge' as const, contains: 'default', tags: {} }
    part.see({ ...point, count: 1, sum: 1, ...max }, jumped)
  }
  return { handed, seconds: part.end(complete) }
}

function secondsFrom(first: number, last: number): Seen[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({ time: first + index }))
}

test('without a held load all of it', () => {
  const { handed, seconds } = judge({}, secondsFrom(0, 9))
  expect(handed).toEqual(secondsFrom(0, 9).map(({ time }) => [time, time]))
  expect(seconds).toBe(10)
})

test('of a held load what follows its warm-up, and no more than was planned', () => {
  expect(judge({ load: LOAD }, secondsFrom(0, 19))).toEqual({
    handed: [3, 4, 5, 6].map((time, second) => [time, second]),
    seconds: 4,
  })
})

test('from the moment that the last load generator began', () => {
  const starts = [
    { time: 0, loadStartMs: 100 },
    { time: 2, loadStartMs: 2500 },
  ]
  const { handed } = judge({ load: LOAD }, [...starts, ...secondsFrom(3, 19)])
  expect(handed[0]).toEqual([6, 0])
  expect(handed).toHaveLength(4)
})

test('judges a run that ended before its start was certain', () => {
  expect(judge({ load: LOAD }, secondsFrom(0, 4), false)).toEqual({
    handed: [
      [3, 0],
      [4, 1],
    ],
    seconds: 2,
  })
  expect(judge({ load: LOAD }, secondsFrom(0, 1), false)).toEqual({ handed: [], seconds: 0 })
  expect(judge({ load: LOAD }, [], false)).toEqual({ handed: [], seconds: 0 })
})

test('uses the judged part of the only trial, and ignores several trials or one that never started', () => {
  const trial = { judgedFrom: START + 1, judgedTo: START + 3 }
  expect(judge({ load: LOAD, trials: [trial] }, secondsFrom(0, 9))).toEqual({
    handed: [
      [1, 0],
      [2, 1],
    ],
    seconds: 2,
  })
  expect(judge({ load: LOAD, trials: [trial, trial] }, secondsFrom(0, 9)).seconds).toBe(4)
  expect(
    judge({ load: LOAD, trials: [{ judgedFrom: null, judgedTo: null }] }, secondsFrom(0, 9)).seconds,
  ).toBe(4)
})

test.each([
  { what: 'back', by: -HOUR },
  { what: 'on', by: HOUR },
])('a clock that jumps $what by an hour takes nothing away, and no second is added', ({ by }) => {
  const jumped = secondsFrom(5, 9).map(({ time }) => ({ time: time + by, jumped: by }))
  for (const load of [undefined, { ...LOAD, seconds: 7 }]) {
    const even = judge(load === undefined ? {} : { load }, secondsFrom(0, 9))
    const broken = judge(load === undefined ? {} : { load }, [...secondsFrom(0, 4), ...jumped])
    expect(broken.handed.map(([, second]) => second)).toEqual(even.handed.map(([, second]) => second))
    expect(broken.seconds).toBe(even.seconds)
  }
})

test('a clock correction of some seconds loses nothing of a run that is judged as a whole', () => {
  const { handed, seconds } = judge({}, [...secondsFrom(0, 9), ...secondsFrom(-2, 9)])
  expect([handed.length, seconds]).toEqual([22, 10])
})
