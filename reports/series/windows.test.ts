import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWindows, secondsCovered, WINDOWS_MAX, widened, windowAt } from './windows.ts'

test('an hour takes windows of 4 seconds', () => {
  const windows = createWindows()
  for (let second = 0; second < 3600; second += 1) windowAt(windows, 1_000_000 + second).requests += 1
  expect([windows.seconds, windows.byIndex.size]).toEqual([4, 900])
})

test('no request is lost, whatever the order of seconds, and windows never pass their number', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000_000), { minLength: 2500, maxLength: 3000 }), (seconds) => {
      const windows = createWindows()
      for (const second of seconds) windowAt(windows, second).requests += 1
      const total = [...windows.byIndex.values()].reduce((sum, { requests }) => sum + requests, 0)
      expect(total).toBe(seconds.length)
      expect(windows.byIndex.size).toBeLessThanOrEqual(WINDOWS_MAX)
    }),
    { seed: 1, numRuns: 20 },
  )
})

test('a window at the edge of a run covers only the seconds of the run', () => {
  const windows = createWindows()
  for (let second = 101; second <= 110; second += 1) windowAt(windows, second)
  const wide = widened(windows, 4)
  expect([25, 26, 27].map((index) => secondsCovered(wide, index))).toEqual([3, 4, 3])
})
