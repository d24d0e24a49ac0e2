import { expect, test } from 'vitest'
import { createBusyTime } from './busy-time.ts'

test('counts what several pieces of work share once, and nothing between them', async () => {
  let nowMs = 0
  const busy = createBusyTime({ nowMs: () => nowMs })
  const ends: (() => void)[] = []
  const start = () => busy.during(() => new Promise<void>((done) => ends.push(done)))
  const first = start()
  nowMs = 100
  const second = start()
  nowMs = 150
  expect(busy.totalMs()).toBe(150)
  ends[0]?.()
  await first
  nowMs = 400
  ends[1]?.()
  await second
  nowMs = 1000
  expect(busy.totalMs()).toBe(400)
  const third = start()
  nowMs = 1010
  ends[2]?.()
  await third
  expect(busy.totalMs()).toBe(410)
})

test('work that fails counts, and its error is thrown', async () => {
  let nowMs = 0
  const busy = createBusyTime({ nowMs: () => nowMs })
  const failing = busy.during(async () => {
    nowMs += 30
    throw new Error('no socket')
  })
  await expect(failing).rejects.toThrow('no socket')
  expect(busy.totalMs()).toBe(30)
})
