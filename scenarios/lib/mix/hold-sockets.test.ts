import { expect, test, vi } from 'vitest'
import { isInItsSecond, listSockets, nextCheckMs, weigh } from './hold-sockets.ts'

// Modules that need k6.
vi.mock('k6/metrics', () => ({ Counter: class {}, Trend: class {} }))
vi.mock('../client/follow-feed.ts', () => ({}))
vi.mock('../time/pause.ts', () => ({}))
vi.mock('./mix-client.ts', () => ({}))
vi.mock('./mix-feed.ts', () => ({}))

test('VUs open sockets in turn, evenly over time', () => {
  const offered = { count: 5, vus: 2, openedPerSecond: 10 }
  expect([0, 1].map((vu) => listSockets(vu, offered))).toEqual([
    [
      { number: 0, atSeconds: 1, rooms: null, isSlow: false },
      { number: 2, atSeconds: 1.2, rooms: null, isSlow: false },
      { number: 4, atSeconds: 1.4, rooms: null, isSlow: false },
    ],
    [
      { number: 1, atSeconds: 1.1, rooms: null, isSlow: false },
      { number: 3, atSeconds: 1.3, rooms: null, isSlow: false },
    ],
  ])
})

test('sockets join as many rooms as fit, and the last one the rest', () => {
  const offered = { count: 3, vus: 1, openedPerSecond: 10, rooms: { total: 70, perSocket: 32 } }
  expect(listSockets(0, offered).map(weigh)).toEqual([32, 32, 6])
})

test('slow readers open first, and do not count', () => {
  const offered = { count: 4, vus: 1, openedPerSecond: 10, slowReaders: 3 }
  expect(listSockets(0, offered).map(weigh)).toEqual([0, 0, 0, 1])
})

test('a socket that is the load itself counts as one', () => {
  expect(weigh({ rooms: null, isSlow: false })).toBe(1)
})

test('a VU beyond the sockets has none', () => {
  expect(listSockets(3, { count: 3, vus: 4, openedPerSecond: 10 })).toEqual([])
})

test.each([
  [10_000, 10_500],
  [10_500, 10_500],
  [10_501, 11_500],
  [10_999, 11_500],
])('from %i on, the first check is at %i', (fromMs, atMs) => {
  expect(nextCheckMs(fromMs)).toBe(atMs)
})

test('a check that is half a second late is in another second', () => {
  expect([isInItsSecond(10_500, 10_999), isInItsSecond(10_500, 11_000)]).toEqual([true, false])
})
