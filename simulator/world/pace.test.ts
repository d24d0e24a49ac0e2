import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Clock, createClock } from '../clock.ts'
import { paceClock } from './pace.ts'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['performance', 'setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'],
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('runs a virtual timer when it is due in real time', () => {
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

test('sync advances the clock to now, between the ticks', () => {
  const clock = createClock({ startMs: 0 })
  const pace = paceClock(clock)
  vi.advanceTimersByTime(33)
  expect(clock.nowMs()).toBe(0)
  pace.sync()
  expect(clock.nowMs()).toBe(33)
  pace.stop()
})

test('sync runs no timer: due timers wait for their turn', () => {
  const clock = createClock({ startMs: 0 })
  const ran: number[] = []
  clock.after(30, () => ran.push(clock.nowMs()))
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const pace = paceClock(clock)
  now.mockReturnValue(33)
  pace.sync()
  expect([clock.nowMs(), ran]).toEqual([29, []])
  vi.advanceTimersToNextTimer()
  expect([clock.nowMs(), ran]).toEqual([33, [30]])
  pace.stop()
})

test('overdue timers get a turn of the event loop for each due time, and the backlog is fully caught up', () => {
  const clock = createClock({ startMs: 0 })
  const ran: number[] = []
  every(clock, 10, () => ran.push(clock.nowMs()))
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const pace = paceClock(clock)
  now.mockReturnValue(45)
  for (let turn = 1; turn <= 4; turn++) {
    vi.advanceTimersToNextTimer()
    expect(ran).toHaveLength(turn)
  }
  expect(ran).toEqual([10, 20, 30, 40])
  expect(clock.nowMs()).toBe(45)
  pace.stop()
})

test('if each takes longer than the time to the next, the clock runs slower, and skips none', () => {
  const clock = createClock({ startMs: 0 })
  const ran: number[] = []
  let realMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => realMs)
  every(clock, 1, () => {
    ran.push(clock.nowMs())
    realMs += 5
  })
  const pace = paceClock(clock)
  realMs = 1
  for (let turn = 1; turn <= 1000; turn++) {
    vi.advanceTimersToNextTimer()
    pace.sync()
    expect(ran).toHaveLength(turn)
  }
  expect(ran).toEqual(Array.from({ length: 1000 }, (_, place) => place + 1))
  pace.stop()
})

test('catches up at most a second', () => {
  const clock = createClock({ startMs: 0 })
  let ran = 0
  every(clock, 100, () => ran++)
  let realMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => realMs)
  const pace = paceClock(clock)
  realMs = 3_600_000
  for (let turn = 0; turn < 100; turn++) vi.advanceTimersToNextTimer()
  expect([clock.nowMs(), ran]).toEqual([1000, 10])
  realMs += 99
  pace.sync()
  expect(clock.nowMs()).toBe(1099)
  pace.stop()
})

test('adds to explicit advances of the clock', () => {
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
})

test.each(['while it waits', 'while it catches up', 'from within a timer'])(
  'stop leaves no timer, %s',
  (when) => {
    const clock = createClock({ startMs: 0 })
    const pace = paceClock(clock)
    const isWithin = when === 'from within a timer'
    if (when !== 'while it waits') {
      every(clock, 10, () => isWithin && pace.stop())
      vi.advanceTimersToNextTimer()
      expect(vi.getTimerCount()).toBe(isWithin ? 0 : 1)
    }
    const stoppedAtMs = clock.nowMs()
    pace.stop()
    vi.advanceTimersByTime(1000)
    expect(vi.getTimerCount()).toBe(0)
    expect(clock.nowMs()).toBe(stoppedAtMs)
  },
)

function every(clock: Clock, ms: number, run: () => void): void {
  clock.after(ms, () => {
    every(clock, ms, run)
    run()
  })
}
