import { expect, test } from 'vitest'
import { createClock } from '../clock.ts'
import { createDeadlines, type Deadline } from './deadlines.ts'

function setUp(leapMsMax = 5000) {
  const clock = createClock({ startMs: 0 })
  const deadlines = createDeadlines({ clock, leapMsMax })
  const owner = new Set<Deadline>()
  const firedMs: number[] = []
  const after = (delayMs: number) => deadlines.after(owner, delayMs, () => firedMs.push(clock.nowMs()))
  const leap = (ms: number) => {
    deadlines.hold()
    clock.advance(ms)
    deadlines.release()
  }
  return { clock, deadlines, owner, firedMs, after, leap }
}

test('expires by the clock, unless it is canceled', () => {
  const { clock, owner, firedMs, after } = setUp()
  after(1000)
  after(2000).cancel()
  clock.advance(3000)
  expect(firedMs).toEqual([1000])
  expect(owner.size).toBe(0)
  expect(clock.nextAtMs()).toBeUndefined()
})

test('a leap extends each deadline by its length; a small step does not', () => {
  const { clock, firedMs, after, leap } = setUp()
  after(10_000)
  leap(60_000)
  clock.advance(9_999)
  expect(firedMs).toEqual([])
  clock.advance(1)
  expect(firedMs).toEqual([70_000])
  after(6000)
  leap(5000)
  leap(1000)
  expect(firedMs).toEqual([70_000, 76_000])
})

test('deadlines within a small step expire after it', () => {
  const { firedMs, after, leap } = setUp()
  after(1000)
  leap(4000)
  expect(firedMs).toEqual([4000])
})

test('reports a leap since a time, also while it lasts', () => {
  const { clock, deadlines, leap } = setUp()
  leap(5000)
  expect(deadlines.leaptSince(0)).toBe(false)
  leap(5001)
  expect([deadlines.leaptSince(0), deadlines.leaptSince(10_002)]).toEqual([true, false])
  deadlines.hold()
  clock.advance(5002)
  expect(deadlines.leaptSince(10_002)).toBe(true)
})

test('ignores leaps if clients use the virtual clock', () => {
  const { firedMs, after, leap } = setUp(Number.POSITIVE_INFINITY)
  after(1000)
  leap(3_600_000)
  expect(firedMs).toEqual([3_600_000])
})

test('is empty after clear', () => {
  const { clock, deadlines, owner, after } = setUp()
  after(1000)
  deadlines.clear()
  expect([owner.size, clock.nextAtMs()]).toEqual([0, undefined])
})
