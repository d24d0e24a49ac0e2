import { expect, test } from 'vitest'
import { createClock } from '../clock.ts'
import { createFanOut } from './fan-out.ts'
import type { Delivery } from './publisher.ts'

type Member = Delivery['members'] extends ReadonlySet<infer One> ? One : never

function bed({ perSecond, nodes = 1 }: { perSecond: number; nodes?: number }) {
  const clock = createClock({ startMs: 0 })
  const came: string[] = []
  const fanOut = createFanOut({ perSecond, chooseNode: (id) => id % nodes, time: clock })
  const createMember = (id: number): Member => ({
    id,
    outbox: {
      sendEvent: (frame) => void came.push(`${clock.nowMs()} ${frame} to ${id}`),
      requireResync: () => void came.push(`${clock.nowMs()} resync to ${id}`),
      sendControl() {},
      cork() {},
      uncork() {},
      droppedEvents: () => 0,
    },
  })
  const members = new Set([createMember(0), createMember(1)])
  const send = (text: string) => fanOut.deliver([{ frame: Buffer.from(text), members }])
  return { clock, came, fanOut, members, send }
}

test('sends to one socket after another, and later events wait', () => {
  const { clock, came, fanOut, members, send } = bed({ perSecond: 100 })
  send('a')
  send('b')
  fanOut.deliver([{ frame: 'resync', members }])
  clock.advance(100)
  expect(came).toEqual([
    '10 a to 0',
    '20 a to 1',
    '30 b to 0',
    '40 b to 1',
    '50 resync to 0',
    '60 resync to 1',
  ])
})

test('counts an event when it is sent or discarded, and neither resyncs nor sockets that left', () => {
  const { clock, fanOut, members, send } = bed({ perSecond: 100 })
  send('a')
  send('b')
  fanOut.deliver([{ frame: 'resync', members }])
  expect(fanOut.events()).toEqual({ sent: 0, discarded: 0 })
  clock.advance(10)
  expect(fanOut.events()).toEqual({ sent: 1, discarded: 0 })
  const [first] = members
  if (first) members.delete(first)
  clock.advance(10)
  expect(fanOut.events()).toEqual({ sent: 2, discarded: 0 })
  fanOut.forget()
  expect(fanOut.events()).toEqual({ sent: 2, discarded: 1 })
})

test('each node has its own rate', () => {
  const { clock, came, send } = bed({ perSecond: 100, nodes: 2 })
  send('a')
  send('b')
  clock.advance(100)
  expect(came).toEqual(['10 a to 0', '10 a to 1', '20 b to 0', '20 b to 1'])
})

test('a socket that left the room gets no event that waited, and takes no time', () => {
  const { clock, came, members, send } = bed({ perSecond: 100 })
  send('a')
  const [first] = members
  if (first) members.delete(first)
  clock.advance(100)
  expect(came).toEqual(['10 a to 1'])
})

test('a node that is a minute behind discards what waits and requires its sockets to read again', () => {
  const { clock, came, send } = bed({ perSecond: 1 })
  for (let count = 0; count < 30; count++) send('early')
  expect(came).toEqual([])
  send('late')
  expect(came).toEqual(['0 resync to 0', '0 resync to 1'])
  clock.advance(60_000)
  expect(came.slice(2)).toEqual(['1000 late to 0', '2000 late to 1'])
})

test.each(['forget', 'close'] as const)('after %s, nothing that waited is sent', (end) => {
  const { clock, came, fanOut, send } = bed({ perSecond: 100 })
  send('a')
  fanOut[end]()
  expect(clock.nextAtMs()).toBeUndefined()
  clock.advance(100)
  expect(came).toEqual([])
})
