import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClock } from './clock.ts'
import { paceClock } from './pace.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('runs a virtual timer when it falls due in real time', () => {
  const clock = createClock({ startMs: 1_000_000 })
  const ran: number[] = []
  clock.after(20, () => ran.push(clock.nowMs()))
  const pace = paceClock(clock)
  vi.advanceTimersByTime(19)
  expect(ran).toEqual([])
  vi.advanceTimersByTime(1)
  expect(ran).toEqual([1_000_020])
  pace.stop()
})

test('runs a timer set in between at most 50 ms late', () => {
  const clock = createClock({ startMs: 0 })
  const pace = paceClock(clock)
  const ran: number[] = []
  clock.after(10, () => ran.push(performance.now()))
  const setAt = performance.now()
  vi.advanceTimersByTime(50)
  expect(ran).toEqual([setAt + 50])
  pace.stop()
})

test('sync brings the clock up to now, between the ticks', () => {
  const clock = createClock({ startMs: 0 })
  const pace = paceClock(clock)
  vi.advanceTimersByTime(33)
  expect(clock.nowMs()).toBe(0)
  pace.sync()
  expect(clock.nowMs()).toBe(33)
  pace.stop()
})

test('adds to what else moves the clock', () => {
  const clock = createClock({ startMs: 0 })
  const pace = paceClock(clock)
  clock.advance(60_000)
  vi.advanceTimersByTime(100)
  pace.sync()
  expect(clock.nowMs()).toBe(60_100)
  pace.stop()
})

test('loses no fraction of a millisecond', () => {
  const clock = createClock({ startMs: 0 })
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const pace = paceClock(clock)
  for (let step = 1; step <= 10; step++) {
    now.mockReturnValue(step * 0.75)
    pace.sync()
    expect(clock.nowMs()).toBe(Math.floor(step * 0.75))
  }
  pace.stop()
  now.mockRestore()
})

test('stop leaves no timer', () => {
  const clock = createClock({ startMs: 0 })
  const pace = paceClock(clock)
  pace.stop()
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
  expect(clock.nowMs()).toBe(0)
})
