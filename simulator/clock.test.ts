import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClock } from './clock.ts'

test('runs due timers in order of time, then of creation', () => {
  const clock = createClock({ startMs: 1000 })
  const ran: string[] = []
  clock.after(20, () => ran.push(`late at ${clock.nowMs()}`))
  clock.after(10, () => ran.push(`first at ${clock.nowMs()}`))
  clock.after(10, () => ran.push(`second at ${clock.nowMs()}`))
  clock.advance(20)
  expect(ran).toEqual(['first at 1010', 'second at 1010', 'late at 1020'])
  expect(clock.nowMs()).toBe(1020)
})

test('runs a timer that another timer sets, in the same advance', () => {
  const clock = createClock({ startMs: 0 })
  const ran: number[] = []
  const tick = () => {
    ran.push(clock.nowMs())
    clock.after(10, tick)
  }
  clock.after(10, tick)
  clock.advance(35)
  expect(ran).toEqual([10, 20, 30])
  expect(clock.nextAtMs()).toBe(40)
})

test('does not run canceled timers', () => {
  const clock = createClock({ startMs: 0 })
  let ran = 0
  clock.after(5, () => ran++).cancel()
  clock.advance(10)
  expect(ran).toBe(0)
  expect(clock.nextAtMs()).toBeUndefined()
})

test('refuses to go back', () => {
  const clock = createClock({ startMs: 0 })
  expect(() => clock.advance(-1)).toThrow('a clock only moves forward: advance(-1)')
})

test('does not go back if a timer moves it further than the outer advance', () => {
  const clock = createClock({ startMs: 0 })
  clock.after(5, () => clock.advance(100))
  clock.advance(10)
  expect(clock.nowMs()).toBe(105)
})

test('a timer canceled by another due at the same time does not run', () => {
  const clock = createClock({ startMs: 0 })
  const ran: string[] = []
  clock.after(5, () => second.cancel())
  const second = clock.after(5, () => ran.push('second'))
  clock.after(5, () => ran.push('third'))
  clock.advance(5)
  expect(ran).toEqual(['third'])
})

test.each([-5000, 5000])(
  'restored to %d ms from now, it keeps the timers’ remaining delays, and runs none',
  (ms) => {
    const clock = createClock({ startMs: 10_000 })
    const ran: string[] = []
    const late = clock.after(20, () => ran.push(`late at ${clock.nowMs()}`))
    clock.after(10, () => ran.push(`soon at ${clock.nowMs()}`))
    clock.after(10, () => ran.push('never')).cancel()
    clock.advance(5)
    clock.restoreTo(10_000 + ms)
    expect(ran).toEqual([])
    expect([clock.nowMs(), clock.nextAtMs(), late.atMs]).toEqual([10_000 + ms, 10_005 + ms, 10_015 + ms])
    clock.after(7, () => ran.push(`new at ${clock.nowMs()}`))
    clock.advance(15)
    expect(ran).toEqual([`soon at ${10_005 + ms}`, `new at ${10_007 + ms}`, `late at ${10_015 + ms}`])
  },
)

test('after any sets and cancels, the remaining timers run in order, each once', () => {
  const timers = fc.array(fc.record({ delayMs: fc.integer({ min: 0, max: 50 }), canceled: fc.boolean() }))
  fc.assert(
    fc.property(timers, fc.array(fc.integer({ min: 0, max: 20 })), (planned, advances) => {
      const clock = createClock({ startMs: 0 })
      const ran: { index: number; atMs: number }[] = []
      const set = planned.map(({ delayMs }, index) =>
        clock.after(delayMs, () => ran.push({ index, atMs: clock.nowMs() })),
      )
      for (const [index, { canceled }] of planned.entries()) if (canceled) set[index]?.cancel()
      for (const ms of advances) clock.advance(ms)
      const nowMs = advances.reduce((sum, ms) => sum + ms, 0)
      const left = planned
        .map(({ delayMs, canceled }, index) => ({ index, atMs: delayMs, canceled }))
        .filter(({ canceled }) => !canceled)
        .sort((a, b) => a.atMs - b.atMs)
      // Before the first advance nothing runs, not even timers due immediately.
      const due = advances.length === 0 ? [] : left.filter(({ atMs }) => atMs <= nowMs)
      expect(ran).toEqual(due.map(({ index, atMs }) => ({ index, atMs })))
      expect(clock.nextAtMs()).toBe(left[due.length]?.atMs)
    }),
  )
})

test('ends an advance when a timer sets the clock back', () => {
  const clock = createClock({ startMs: 1000 })
  const ran: number[] = []
  clock.after(100, () => clock.restoreTo(500))
  clock.after(300, () => ran.push(clock.nowMs()))
  clock.advance(1000)
  expect([clock.nowMs(), ran]).toEqual([500, []])
  clock.advance(1000)
  expect([clock.nowMs(), ran]).toEqual([1500, [700]])
})
