import { expect, test, vi } from 'vitest'
import { createPunctual } from './pause.ts'

// Modules that need k6.
vi.mock('k6/timers', () => ({ setTimeout: () => 0, clearTimeout: () => {} }))
vi.mock('../config.ts', () => ({ config: {} }))

function timersByHand() {
  let nowMs = 1000
  let armed: { id: number; fn: () => void; ms: number } | undefined
  let ids = 0
  const after = createPunctual({
    set(fn, ms) {
      armed = { id: ++ids, fn, ms }
      return ids
    },
    clear(id) {
      if (armed?.id === id) armed = undefined
    },
    nowMs: () => nowMs,
  })
  return {
    after,
    armedMs: () => armed?.ms,
    /** When the mock runs the timer, due or not. */
    runAfter(ms: number) {
      nowMs += ms
      const { fn } = armed ?? {}
      armed = undefined
      fn?.()
    },
  }
}

test('a timer that fires early waits for the rest, and then runs once', () => {
  const { after, armedMs, runAfter } = timersByHand()
  let ran = 0
  after(300, () => ran++)
  runAfter(100)
  expect([ran, armedMs()]).toEqual([0, 200])
  runAfter(0)
  expect([ran, armedMs()]).toEqual([0, 200])
  runAfter(200)
  expect([ran, armedMs()]).toEqual([1, undefined])
})

test('a canceled timer never runs, even if it fired early before', () => {
  const { after, armedMs, runAfter } = timersByHand()
  const timer = after(300, () => expect.unreachable())
  runAfter(100)
  timer.cancel()
  expect(armedMs()).toBeUndefined()
  runAfter(500)
})
