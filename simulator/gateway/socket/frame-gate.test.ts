import { expect, test } from 'vitest'
import { createClock } from '../../clock.ts'
import { createFixedFrameWindow } from './frame-gate.ts'

function setUp() {
  const clock = createClock({ startMs: 1000 })
  return { clock, window: createFixedFrameWindow({ clock, framesMax: 2, windowMs: 100 }) }
}

test('admits so many from its first frame on, and as many again a window later', () => {
  const { clock, window } = setUp()
  clock.advance(50)
  expect([window.take(), window.take(), window.take()]).toEqual([true, true, false])
  clock.advance(99)
  expect(window.take()).toBe(false)
  clock.advance(1)
  expect([window.take(), window.take(), window.take()]).toEqual([true, true, false])
})

test('begins anew where the clock was put back', () => {
  const { clock, window } = setUp()
  clock.advance(50)
  window.take()
  window.take()
  clock.restoreTo(clock.nowMs() - 51)
  expect(window.take()).toBe(true)
})
