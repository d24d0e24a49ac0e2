import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { resyncRefetches } from './resync-refetches.ts'

function resync(seat = {}) {
  const bed = createTestBed(resyncRefetches)
  bed.ask({ url: '/pools/a/trades' })
  bed.pass(1000)
  const socket = bed.open(seat).authenticate().join('trades:a')
  socket.control('resync_required')
  return { ...bed, socket }
}

test('accuses who reads nothing again', () => {
  const { pass, found } = resync()
  pass(30_000)
  expect(found()).toEqual([
    'nothing was read again within 30 s of resync_required on socket 1, such as /pools/a/trades',
  ])
})

test('lets pass who reads again, however late', () => {
  const { ask, pass, found, cases } = resync()
  pass(29_000)
  ask({ url: '/pools/a/trades', status: 503 })
  pass(1000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('lets pass whom the control may not have reached', () => {
  const gone = resync()
  gone.socket.leave()
  gone.pass(30_000)
  const clogged = resync({ hasSentAll: () => false })
  clogged.pass(30_000)
  expect([gone.found(), clogged.found()]).toEqual([[], []])
})

test('asks nothing of who had read nothing', () => {
  const bed = createTestBed(resyncRefetches)
  bed.open().authenticate().join('trades:a').control('resync_required')
  bed.pass(30_000)
  expect([bed.found(), bed.cases()]).toEqual([[], 0])
})

test('gives the last of several its time, and waits for one at a time', () => {
  const { socket, ask, pass, found, clock } = resync()
  pass(10_000)
  ask({ url: '/pools/a/trades' })
  pass(1000)
  for (let count = 0; count < 100; count++) socket.control('resync_required')
  const timers = clock.nextAtMs()
  pass(29_999)
  expect([found(), timers]).toEqual([[], clock.nowMs() - 10_999])
  pass(1)
  expect(found()).toHaveLength(1)
})

test('forgets all where the world goes back', () => {
  const { observer, pass, found } = resync()
  observer.forget()
  pass(30_000)
  expect(found()).toEqual([])
})
