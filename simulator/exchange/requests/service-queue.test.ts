import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClock } from '../../clock.ts'
import { createServiceQueue, type Waiting } from './service-queue.ts'

function open(perSecond: number) {
  const clock = createClock({ startMs: 0 })
  const queue = createServiceQueue({ perSecond, time: clock })
  const served: [name: string, atMs: number][] = []
  const enter = (name: string): Waiting => queue.enter(() => served.push([name, clock.nowMs()]))
  return { clock, queue, served, enter }
}

test('serves one after another, each as long, in order of arrival', () => {
  const { clock, served, enter } = open(100)
  for (const name of ['a', 'b', 'c']) enter(name)
  clock.advance(25)
  enter('d')
  clock.advance(100)
  enter('e')
  clock.advance(100)
  expect(served).toEqual([
    ['a', 10],
    ['b', 20],
    ['c', 30],
    ['d', 40],
    ['e', 135],
  ])
})

test('timers that come late cost no service', () => {
  let nowMs = 0
  const timers: (() => void)[] = []
  const time = {
    nowMs: () => nowMs,
    after: (delayMs: number, fn: () => void) => {
      timers.push(() => {
        nowMs += delayMs + 7
        fn()
      })
      return { cancel() {} }
    },
  }
  const queue = createServiceQueue({ perSecond: 400, time })
  let count = 0
  for (let index = 0; index < 5000; index++) queue.enter(() => count++)
  while (nowMs < 10_000) timers.shift()?.()
  // 10 s at 400 a second, and what falls due in the lateness of one timer.
  expect(count).toBeGreaterThanOrEqual(4000)
  expect(count).toBe(Math.floor(nowMs * 0.4))
})

test('a request that leaves takes no service, and those behind it move up', () => {
  const { clock, queue, served, enter } = open(100)
  enter('a')
  const waiting = ['b', 'c', 'd'].map(enter)
  waiting[0]?.leave()
  waiting[1]?.leave()
  waiting[1]?.leave()
  expect(queue.length()).toBe(2)
  clock.advance(1000)
  waiting[2]?.leave()
  expect(served).toEqual([
    ['a', 10],
    ['d', 20],
  ])
  expect(queue.length()).toBe(0)
})

test('tells its length, and the greatest since it was last asked', () => {
  const { clock, queue, enter } = open(100)
  for (const name of ['a', 'b', 'c']) enter(name)
  clock.advance(20)
  expect([queue.length(), queue.takeLengthMax(), queue.takeLengthMax()]).toEqual([1, 3, 1])
  clock.advance(10)
  expect([queue.takeLengthMax(), queue.takeLengthMax()]).toEqual([1, 0])
})

test('who enters as another is served waits a turn like all', () => {
  const { clock, queue, served, enter } = open(100)
  queue.enter(() => enter('b'))
  enter('a')
  clock.advance(1000)
  expect(served).toEqual([
    ['a', 20],
    ['b', 30],
  ])
})

test('closed, it serves nobody', () => {
  const { clock, queue, served, enter } = open(100)
  enter('a')
  queue.close()
  clock.advance(1000)
  expect(served).toEqual([])
})

test('whoever comes and goes: in order, each once, never faster than its rate, never idle while somebody waits', () => {
  const step = fc.record({ afterMs: fc.nat(15), leaves: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(50, 100, 250), (steps, perSecond) => {
      const { clock, queue, served, enter } = open(perSecond)
      const gone = new Set<string>()
      const arrivals = new Map<string, number>()
      for (const [index, { afterMs, leaves }] of steps.entries()) {
        clock.advance(afterMs)
        arrivals.set(String(index), clock.nowMs())
        const waiting = enter(String(index))
        if (leaves) {
          waiting.leave()
          gone.add(String(index))
        }
      }
      clock.advance(10_000)
      const stayed = [...arrivals].filter(([name]) => !gone.has(name))
      let freeAtMs = 0
      const expected = stayed.map(([name, atMs]) => {
        freeAtMs = Math.max(atMs, freeAtMs) + 1000 / perSecond
        return [name, freeAtMs]
      })
      expect(served).toEqual(expected)
      expect(queue.length()).toBe(0)
    }),
  )
})
