import { Writable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultChoices } from '../choices/default-choices.ts'
import { createClock } from '../clock.ts'
import { NO_HOOKS } from '../faults/faults.ts'
import type { EventAction } from '../faults/hooks.ts'
import { createFaultyDelivery, deliver } from './publisher.ts'
import { createRooms } from './rooms.ts'
import { createOutbox } from './socket/outbox.ts'

const resync = fc.boolean()
const action: fc.Arbitrary<EventAction | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({
    do: fc.constant('send' as const),
    afterMs: fc.array(fc.nat(300), { maxLength: 3, size: 'max' }),
    resync,
  }),
  fc.record({ do: fc.constant('hold' as const), atMostMs: fc.integer({ min: 1, max: 200 }), resync }),
)
const event = fc.record({
  room: fc.constantFrom('one', 'two'),
  inRoom: action,
  toSocket: fc.tuple(action, action),
  thenMs: fc.nat(100),
})
type Given = typeof event extends fc.Arbitrary<infer One> ? One : never
const events = fc.array(event, { maxLength: 20, size: 'max' })

const countCopies = (done: EventAction | undefined) => (done?.do === 'send' ? done.afterMs.length : 1)
const countResyncs = (done: EventAction | undefined) => (done?.resync ? 1 : 0)

test('each event comes as often as the faults of its room and of the socket make it, and no state remains', () => {
  fc.assert(
    fc.property(events, (given) => {
      const { clock, faulty, members, run, clear } = bed()
      run(given)
      clock.advance(1000)
      clear()
      for (const [place, { came }] of members.entries()) {
        const frames = given.flatMap(({ inRoom, toSocket }, number) =>
          Array.from({ length: countCopies(inRoom) * countCopies(toSocket[place]) }, () => String(number)),
        )
        const resyncs = given.reduce(
          (sum, { inRoom, toSocket }) =>
            sum + countResyncs(inRoom) + countCopies(inRoom) * countResyncs(toSocket[place]),
          0,
        )
        expect(came.filter((text) => text !== 'resync').sort()).toEqual(frames.sort())
        expect(came.filter((text) => text === 'resync')).toHaveLength(resyncs)
      }
      expect(clock.nextAtMs()).toBeUndefined()
      expect(faulty.isActive()).toBe(false)
    }),
    { seed: 1 },
  )
})

test('after forget, nothing comes any more', () => {
  fc.assert(
    fc.property(events, (given) => {
      const { clock, faulty, members, run, clear } = bed()
      run(given)
      const before = members.map(({ came }) => [...came])
      clear()
      faulty.forget()
      expect(clock.nextAtMs()).toBeUndefined()
      clock.advance(1000)
      expect(members.map(({ came }) => came)).toEqual(before)
      expect(faulty.isActive()).toBe(false)
    }),
    { seed: 1 },
  )
})

/** Two members in two rooms; the number of an event selects its actions. */
function bed() {
  const clock = createClock({ startMs: 0 })
  const members = [0, 1].map((id) => {
    const came: string[] = []
    const outbox = {
      sendEvent: (frame: Buffer) => void came.push(String(frame)),
      requireResync: () => void came.push('resync'),
      sendControl() {},
      cork() {},
      uncork() {},
      droppedEvents: () => 0,
    }
    const context = () => ({ id, node: 1, address: null, userAgent: '', rooms: ['one', 'two'] })
    return { id, outbox, context, came }
  })
  const rooms = createRooms<(typeof members)[number]>()
  for (const room of ['one', 'two']) for (const member of members) rooms.join(room, member)
  const faults = { hooks: NO_HOOKS }
  const faulty = createFaultyDelivery({ faults, clock, rooms, send: deliver })

  const run = (given: readonly Given[]) => {
    faults.hooks = {
      ...NO_HOOKS,
      event: [({ block }) => given[block]?.inRoom],
      delivery: [({ block, socket }) => given[block]?.toSocket[socket.id]],
    }
    for (const [block, { room, thenMs }] of given.entries()) {
      const batch: Parameters<typeof deliver>[0][number][] = []
      faulty.add({ room, type: 'Trade', block, frame: Buffer.from(String(block)) }, batch)
      deliver(batch)
      clock.advance(thenMs)
    }
  }
  const clear = () => {
    faults.hooks = NO_HOOKS
  }
  return { clock, faulty, members, run, clear }
}

test('each gets its frames in order, and all frames of a block in one write', () => {
  const [both, one] = [socket(), socket()]
  deliver([
    { frame: Buffer.from('a'), members: new Set([both, one]) },
    { frame: Buffer.from('b'), members: new Set([both]) },
    { frame: Buffer.from('c'), members: new Set([both, one]) },
  ])
  expect(both.writes).toEqual(['abc'])
  expect(one.writes).toEqual(['ac'])
})

test('nothing waits after a delivery', () => {
  const member = socket()
  deliver([])
  deliver([{ frame: Buffer.from('a'), members: new Set([member]) }])
  deliver([
    { frame: Buffer.from('b'), members: new Set([member]) },
    { frame: Buffer.from('c'), members: new Set([member]) },
  ])
  deliver([{ frame: Buffer.from('d'), members: new Set([member]) }])
  expect(member.writes).toEqual(['a', 'bc', 'd'])
})

/** Records each write to the system. */
function socket() {
  const writes: string[] = []
  const stream = new Writable({
    write(frame, _encoding, done) {
      writes.push(String(frame))
      done()
    },
    writev(frames, done) {
      writes.push(frames.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  const outbox = createOutbox({
    socket: { readyState: 1, terminate() {} },
    stream,
    bounds: defaultChoices.feed,
  })
  return { id: 0, outbox, writes }
}
