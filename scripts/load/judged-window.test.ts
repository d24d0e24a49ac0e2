import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeJudgedWindow, cutWindow } from './judge-trial.ts'

test.each([
  {
    what: 'within the last second of the warm-up',
    startMs: 100_700,
    warmUpSeconds: 2,
    seconds: 5,
    window: [102, 107],
  },
  { what: 'at a whole second', startMs: 100_000, warmUpSeconds: 2, seconds: 5, window: [102, 107] },
  { what: 'without warm-up', startMs: 100_700, warmUpSeconds: 0, seconds: 5, window: [101, 105] },
  {
    what: 'after others',
    startMs: 100_700,
    warmUpSeconds: 0,
    seconds: 5,
    secondsBefore: 10,
    window: [111, 115],
  },
])('$what: $window', ({ window, ...options }) => {
  const { from, to } = computeJudgedWindow(options)
  expect([from, to]).toEqual(window)
})

test('is within the load and never longer than planned', () => {
  const whole = fc.integer({ min: 0, max: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), whole, whole, (startMs, warmUpSeconds, seconds) => {
      const { from, to } = computeJudgedWindow({ startMs, warmUpSeconds, seconds })
      expect(from * 1000).toBeGreaterThanOrEqual(
        startMs - (warmUpSeconds >= 1 ? 0 : 1) + (warmUpSeconds - 1) * 1000,
      )
      expect(to * 1000).toBeLessThanOrEqual(startMs + (warmUpSeconds + seconds) * 1000)
      expect(to - from).toBeLessThanOrEqual(seconds)
      expect(to - from).toBeGreaterThanOrEqual(
        warmUpSeconds >= 1 ? seconds : seconds - 1 - Number(seconds === 0),
      )
    }),
  )
})

test('is cut at an abort, to nothing if that came before it', () => {
  const window = { from: 100, to: 105 }
  expect(cutWindow(window, 103_900)).toEqual({ from: 100, to: 103 })
  expect(cutWindow(window, 110_000)).toEqual(window)
  expect(cutWindow(window, 100_900)).toBeNull()
})
