import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIMITS } from '../contract/limits.ts'
import { createFrameBudget, framesAllowed } from './feed-socket.ts'

test('no sliding minute exceeds the frame limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 1500 }), (gapsMs) => {
      let nowMs = 0
      const budget = createFrameBudget({ nowMs: () => nowMs })
      const sentAtMs: number[] = []
      for (const gapMs of gapsMs) {
        nowMs += gapMs
        nowMs += budget.waitMs()
        budget.spend()
        sentAtMs.push(nowMs)
      }
      const most = Math.max(
        0,
        ...sentAtMs.map((fromMs) => sentAtMs.filter((ms) => ms >= fromMs && ms < fromMs + 60_000).length),
      )
      expect(most).toBeLessThan(LIMITS.wsFramesPerMinute)
    }),
    { numRuns: 30 },
  )
})

test('sends a few frames without a wait, such as all rooms of a connection', () => {
  const budget = createFrameBudget({ nowMs: () => 0 })
  for (let count = 0; count < 2 + LIMITS.wsRoomsPerConnection; count++) {
    expect(budget.waitMs()).toBe(0)
    budget.spend()
  }
})

test.each([
  [0, 240],
  [1, 244],
  [2.5, 250],
])('allows a burst of %d s %d frames', (seconds, allowed) => {
  expect(framesAllowed({ seconds })).toBe(allowed)
})
