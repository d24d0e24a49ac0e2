import { expect, test } from 'vitest'
import { createPunctual } from './punctual.ts'

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
    /** So much later the timer is run, due or not. */
    runAfter(ms: number) {
      nowMs += ms
      const { fn } = armed ?? {}
      armed = undefined
      fn?.()
    },
  }
}

test('what is run before its time waits for the rest of it, and then runs once', () => {
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

test('what is cancelled never runs, though it was run too early before', () => {
  const { after, armedMs, runAfter } = timersByHand()
  const timer = after(300, () => expect.unreachable())
  runAfter(100)
  timer.cancel()
  expect(armedMs()).toBeUndefined()
  runAfter(500)
})
