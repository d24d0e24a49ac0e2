import { expect, test } from 'vitest'
import { SERVER_TIMED, SERVER_TIMING } from '../contract/series.ts'
import { findGrownPart, type TimedLoad } from './find-grown-part.ts'
import { createServerTimes, foldServerTimed, foldServerTiming } from './series/server-times.ts'
import { trendPoint } from './series/test-points.ts'

/** A load with `count` requests, each with the same times. */
function load(rate: number, ms: number, parts: Record<string, number>, count = 100): TimedLoad {
  const times = createServerTimes()
  foldServerTimed(times, trendPoint(Array<number>(count).fill(ms), { metric: SERVER_TIMED }))
  for (const [part, partMs] of Object.entries(parts)) {
    const samples = Array<number>(count).fill(partMs)
    foldServerTiming(times, trendPoint(samples, { metric: SERVER_TIMING, tags: { part } }))
  }
  return { rate, times }
}

const LOW = load(50, 10, { queue: 1, app: 8, total: 9 })

test('names the part that grew with the load', () => {
  const half = load(200, 20, { queue: 6, app: 9, total: 15 })
  const high = load(400, 110, { queue: 91, app: 18, total: 109 })
  expect(findGrownPart([high, LOW, half])).toEqual({
    name: 'queue',
    rates: [50, 400],
    requests: [100, 100],
    partMs: [1, 91],
    responseMs: [10, 110],
    share: 0.9,
  })
})

test('of parts that contain each other, names the one that is within the others', () => {
  const low = load(50, 10, { handler: 9, db: 5, cache: 1 })
  expect(findGrownPart([low, load(400, 110, { handler: 108, db: 80, cache: 10 })])?.name).toBe('db')
})

test('adds up the requests of loads with the same rate', () => {
  const high = () => load(400, 110, { queue: 91 }, 15)
  expect(findGrownPart([LOW, high()])).toBeNull()
  expect(findGrownPart([LOW, high(), high()])?.requests).toEqual([100, 30])
})

test('merges the lowest loads, and the highest, until they have enough requests', () => {
  const loads = [10, 20, 30, 300, 400].map((rate) =>
    rate < 100 ? load(rate, 10, { queue: 1 }, 15) : load(rate, 110, { queue: 91 }, 15),
  )
  expect(findGrownPart(loads)).toMatchObject({ rates: [20, 300], requests: [30, 30], share: 0.9 })
  expect(findGrownPart(loads.slice(2))).toBeNull()
})

test.each<[string, TimedLoad[]]>([
  ['there is only one load', [load(400, 110, { queue: 91 })]],
  ['no load has requests', [load(50, 1, {}, 0), load(400, 1, {}, 0)]],
  ['the lowest load has few requests', [load(50, 10, { queue: 1 }, 29), load(400, 110, { queue: 91 })]],
  ['the highest load has few requests', [LOW, load(400, 110, { queue: 91 }, 29)]],
  ['the response time hardly grew', [LOW, load(400, 14, { queue: 5 })]],
  ['the parts explain half of the growth', [LOW, load(400, 110, { queue: 51, app: 58 })]],
  ['the time grew outside of the parts', [LOW, load(400, 110, { queue: 2, app: 9 })]],
  ['only the sum of the parts grew', [LOW, load(400, 110, { total: 100 })]],
  ['a part is longer than its response', [LOW, load(400, 110, { queue: 900 })]],
])('names none if %s', (_what, loads) => {
  expect(findGrownPart(loads)).toBeNull()
})

test('names none if few requests make up its mean', () => {
  const high = load(400, 110, {})
  const samples = [...Array<number>(98).fill(0), 5000, 5000]
  foldServerTiming(high.times, trendPoint(samples, { metric: SERVER_TIMING, tags: { part: 'gc' } }))
  expect(high.times.parts.get('gc')?.sumMs).toBe(10_000)
  expect(findGrownPart([LOW, high])).toBeNull()
})

test.each(['', '<b>', 'a b', '\u202e', 'n'.repeat(33)])('ignores a part named %j', (part) => {
  expect(findGrownPart([LOW, load(400, 110, { [part]: 91 })])).toBeNull()
})
