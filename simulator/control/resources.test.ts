import { expect, test } from 'vitest'
import { createClock } from '../clock.ts'
import { advanceInSlices } from './resources.ts'

test('stops at the exact millisecond, and runs every timer on the way at its own time', async () => {
  const clock = createClock({ startMs: 0 })
  const ran: number[] = []
  for (const atMs of [1, 5000, 12_345]) clock.after(atMs, () => ran.push(clock.nowMs()))
  await advanceInSlices(clock, 12_345)
  expect(clock.nowMs()).toBe(12_345)
  expect(ran).toEqual([1, 5000, 12_345])
})

test('yields after each moment with due timers', async () => {
  const clock = createClock({ startMs: 0 })
  const seenMs: number[] = []
  for (let atMs = 1; atMs <= 5; atMs++) {
    clock.after(atMs, () => {})
    clock.after(atMs, () => setImmediate(() => seenMs.push(clock.nowMs())))
  }
  await advanceInSlices(clock, 10)
  expect(seenMs).toEqual([1, 2, 3, 4, 5])
})

test('does not move for 0', async () => {
  const clock = createClock({ startMs: 7 })
  await advanceInSlices(clock, 0)
  expect(clock.nowMs()).toBe(7)
})

test('ends if another task sets the clock back', async () => {
  const clock = createClock({ startMs: 1000 })
  clock.after(10, () => setImmediate(() => clock.restoreTo(500)))
  await advanceInSlices(clock, 60_000)
  expect(clock.nowMs()).toBe(500)
})
