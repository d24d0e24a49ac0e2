import { expect, test, vi } from 'vitest'
import { createPunctual, within } from './pause.ts'

// Modules that need k6.
const timers = vi.hoisted(() => ({ left: new Map<number, () => void>(), ids: 0 }))
vi.mock('k6/timers', () => ({
  setTimeout(fn: () => void) {
    timers.left.set(++timers.ids, fn)
    return timers.ids
  },
  clearTimeout: (id: number) => timers.left.delete(id),
}))
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

test('work within a time leaves no timer, whether it succeeds or fails', async () => {
  expect(await within(1000, Promise.resolve('done'))).toBe('done')
  await expect(within(1000, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(timers.left.size).toBe(0)
})

test('work that takes longer is undefined', async () => {
  const found = within(0, new Promise(() => {}))
  for (const fire of timers.left.values()) fire()
  expect(await found).toBeUndefined()
})
