import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClock } from '../../clock.ts'
import { createFixedFrameWindow, createFrameWindow } from './frames.ts'

const createWindow = (framesMax: number) => {
  const clock = createClock({ startMs: 0 })
  return { clock, window: createFrameWindow({ clock, framesMax, windowMs: 60_000 }) }
}

test('admits frames up to the limit, then none until the first has left the window', () => {
  const { clock, window } = createWindow(2)
  expect(window.take()).toBe(true)
  clock.advance(10_000)
  expect(window.take()).toBe(true)
  clock.advance(49_999)
  expect(window.take()).toBe(false)
  clock.advance(1)
  expect(window.take()).toBe(true)
  expect(window.take()).toBe(false)
})

test('the window is empty after the clock moves back', () => {
  const { clock, window } = createWindow(2)
  clock.advance(3_600_000)
  expect([window.take(), window.take(), window.take()]).toEqual([true, true, false])
  clock.restoreTo(clock.nowMs() - 3_600_000)
  expect([window.take(), window.take(), window.take()]).toEqual([true, true, false])
})

test('no window of its length ever has more, and none is rejected while there is room', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), gaps, (framesMax, gapsMs) => {
      const { clock, window } = createWindow(framesMax)
      const takenAtMs: number[] = []
      for (const gapMs of gapsMs) {
        clock.advance(gapMs)
        const inWindow = takenAtMs.filter((atMs) => clock.nowMs() - atMs < 60_000).length
        const taken = window.take()
        expect(taken).toBe(inWindow < framesMax)
        if (taken) takenAtMs.push(clock.nowMs())
      }
    }),
  )
})

function setUp() {
  const clock = createClock({ startMs: 1000 })
  return { clock, window: createFixedFrameWindow({ clock, framesMax: 2, windowMs: 100 }) }
}

test('admits frames up to the limit from the first one on, and again one window later', () => {
  const { clock, window } = setUp()
  clock.advance(50)
  expect([window.take(), window.take(), window.take()]).toEqual([true, true, false])
  clock.advance(99)
  expect(window.take()).toBe(false)
  clock.advance(1)
  expect([window.take(), window.take(), window.take()]).toEqual([true, true, false])
})

test('starts over when the clock moves back', () => {
  const { clock, window } = setUp()
  clock.advance(50)
  window.take()
  window.take()
  clock.restoreTo(clock.nowMs() - 51)
  expect(window.take()).toBe(true)
})
