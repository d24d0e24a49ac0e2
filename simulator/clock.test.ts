import { expect, test } from 'vitest'
import { createClock } from './clock.ts'

test('runs what falls due in order of time, then of creation', () => {
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

test('does not run what was cancelled', () => {
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
