import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWindows, secondsCovered, type WindowKind, widened, windowAt } from './windows.ts'

const COUNTS: WindowKind<{ count: number }> = {
  windowsMax: 1200,
  create: () => ({ count: 0 }),
  join: (into, from) => {
    into.count += from.count
  },
}

test('an hour takes windows of 4 seconds', () => {
  const windows = createWindows(COUNTS)
  for (let second = 0; second < 3600; second += 1) windowAt(windows, 1_000_000 + second).count += 1
  expect([windows.seconds, windows.byIndex.size]).toEqual([4, 900])
})

test('loses nothing in any order of seconds, and limits the number of windows', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000_000), { minLength: 2500, maxLength: 3000 }), (seconds) => {
      const windows = createWindows(COUNTS)
      for (const second of seconds) windowAt(windows, second).count += 1
      const total = [...windows.byIndex.values()].reduce((sum, { count }) => sum + count, 0)
      expect(total).toBe(seconds.length)
      expect(windows.byIndex.size).toBeLessThanOrEqual(COUNTS.windowsMax)
    }),
    { seed: 1, numRuns: 20 },
  )
})

test('widened in two steps or in one is the same', () => {
  const windows = createWindows(COUNTS)
  for (let second = 101; second <= 131; second += 1) windowAt(windows, second).count += second
  expect(widened(widened(windows, 2), 4)).toEqual(widened(windows, 8))
})

test('a window at the edge of a run covers only the seconds of the run', () => {
  const span = { firstSecond: 101, lastSecond: 110 }
  expect([25, 26, 27].map((index) => secondsCovered(4, index, span))).toEqual([3, 4, 3])
})
