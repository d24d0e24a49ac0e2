import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import {
  controlsUnknownIgnored,
  framesBounded,
  framesSize,
  framesValid,
  roomsAtMost32,
  roomsOwnBalances,
  socketAuthenticatesFirst,
  socketAuthenticatesInTime,
} from './sockets.ts'

test('reports a subscription before any authenticate frame', () => {
  const { open, found } = createTestBed(socketAuthenticatesFirst)
  open().join('pool_launches').authenticate()
  expect(found()).toEqual(['subscribe came on socket 1 before any authenticate frame'])
})

test('allows frames right after authenticate: it is unknown whether the client waited for the reply', () => {
  const { open, found, cases } = createTestBed(socketAuthenticatesFirst)
  open().authenticate().join('pool_launches').frame({ action: 'synchronize' })
  open().authenticate({ outcome: 'refused' }).join('pool_launches')
  expect([found(), cases()]).toEqual([[], 2])
})

test('reports a socket that had to be closed after 5 seconds', () => {
  const { open, pass, found } = createTestBed(socketAuthenticatesInTime)
  const socket = open()
  pass(5000)
  socket.end('deadlineMissed', 4408)
  expect(found()).toEqual(['socket 1 sent no authenticate frame within 5 s'])
})

test('allows authenticating in the fifth second, leaving before, or a rejected ticket', () => {
  const { open, pass, found } = createTestBed(socketAuthenticatesInTime)
  const [late, gone, refused] = [open(), open(), open()]
  refused.authenticate({ outcome: 'refused' })
  refused.end('authenticationFailed', 4401)
  gone.leave()
  pass(4999)
  late.authenticate()
  expect(found()).toEqual([])
})

test('allows a client that a leap of the clock left no time', () => {
  const { open, pass, observer, found } = createTestBed(socketAuthenticatesInTime, { leapMsMax: 1000 })
  const socket = open()
  observer.hold()
  pass(5000)
  socket.end('deadlineMissed', 4408)
  pass(60_000)
  observer.release()
  expect(found()).toEqual([])
})

function send(count: number, everyMs: number) {
  const { open, pass, found } = createTestBed(framesBounded)
  const socket = open()
  for (let sent = 0; sent < count; sent++) {
    socket.frame({ action: sent < 240 ? 'synchronize' : 'limited' })
    pass(everyMs)
  }
  return found()
}

test('reports 241 frames in less than a minute', () => {
  expect(send(241, 100)).toEqual(['socket 1 sent 241 frames within 24000 ms'])
})

test('allows 240 at once, and four per second for long', () => {
  expect(send(240, 0)).toEqual([])
  expect(send(1000, 250)).toEqual([])
})

test('allows a minute’s frames that the network has compressed', () => {
  expect(send(1000, 242)).toEqual([])
})

test('counts each socket separately', () => {
  const { open, found } = createTestBed(framesBounded)
  for (const socket of [open(), open()])
    for (let sent = 0; sent < 240; sent++) socket.frame({ action: 'synchronize' })
  expect(found()).toEqual([])
})

test('reports a frame that is not one of the four', () => {
  const { open, found, evidence } = createTestBed(framesValid)
  open().frame({ action: 'invalid' })
  expect(found()).toEqual([
    'socket 1 sent a frame that is not JSON, or not one of the four actions with its field',
  ])
  expect(evidence()).toBe(2)
})

test('allows the four, in binary messages too, and frames that could not be read', () => {
  const { open, found, cases } = createTestBed(framesValid)
  const socket = open().authenticate().join('pool_launches')
  for (const action of ['synchronize', 'binary', 'limited', 'too large'] as const) socket.frame({ action })
  socket.frame({ action: 'unsubscribe', room: 'pool_launches' })
  expect([found(), cases()]).toEqual([[], 4])
})

test('reports a frame that is too large', () => {
  const { open, found } = createTestBed(framesSize)
  open().frame({ action: 'too large' })
  expect(found()).toEqual(['socket 1 sent a frame of more than 2048 bytes'])
})

test('allows all other frames', () => {
  const { open, found, cases } = createTestBed(framesSize)
  open().frame({ action: 'invalid' })
  expect([found(), cases()]).toEqual([[], 1])
})

const rooms = (count: number) => Array.from({ length: count }, (_, place) => `trades:${place}`)
const further = { action: 'subscribe', room: 'trades:x', refusal: 'rooms_full', respelledKey: null } as const

test('reports a 33rd room', () => {
  const { open, found } = createTestBed(roomsAtMost32)
  open()
    .authenticate()
    .join(...rooms(32))
    .frame(further)
  expect(found()).toEqual(['socket 1 subscribed to a further room while it had 32'])
})

test('allows leaving one before', () => {
  const { open, found, cases } = createTestBed(roomsAtMost32)
  const socket = open()
    .authenticate()
    .join(...rooms(32))
  socket.frame({ action: 'unsubscribe', room: 'trades:0' })
  socket.join('trades:32')
  expect([found(), cases()]).toEqual([[], 33])
})

test('allows a rejection by a stub with a lower limit', () => {
  const { open, found } = createTestBed(roomsAtMost32)
  open()
    .authenticate()
    .join(...rooms(31))
    .frame(further)
  expect(found()).toEqual([])
})

const room = (name: string, refusal: string | null) =>
  ({ action: 'subscribe', room: name, refusal, respelledKey: null }) as const

test('reports the balance room of another address', () => {
  const { open, found } = createTestBed(roomsOwnBalances)
  open().authenticate().frame(room('balances:bw1other', 'room_forbidden'))
  expect(found()).toEqual(['socket 1 subscribed to the balance room of another address'])
})

test('allows its own one, and rooms that are rejected for another reason', () => {
  const { open, found, cases } = createTestBed(roomsOwnBalances)
  const socket = open().authenticate().join('balances:bw1wallet')
  socket.frame(room('balances:bw1wallet', 'rooms_full'))
  socket.frame(room('trades:a', 'room_unknown'))
  expect([found(), cases()]).toEqual([[], 1])
})

type Bed = ReturnType<typeof createTestBed>

/** A socket that gets a control after `ageMs`, and closes `afterMs` later. */
function meet({ open, pass }: Bed, { ageMs = 2000, afterMs = 10, code = 1000, isInjected = true } = {}) {
  const socket = open().authenticate()
  pass(ageMs)
  socket.control('maintenance_soon', isInjected)
  pass(afterMs)
  socket.leave(code)
}

test('reports a client that closes right after one, twice in a row', () => {
  const bed = createTestBed(controlsUnknownIgnored)
  meet(bed)
  expect(bed.found()).toEqual([])
  meet(bed, { code: 1006 })
  expect(bed.found()).toEqual([
    'the client closed socket 2 with 1006 right after a control that it does not know',
  ])
  expect(bed.evidence()).toBe(4)
})

test('reports a client that closes with a protocol error, at once', () => {
  const bed = createTestBed(controlsUnknownIgnored)
  meet(bed, { code: 1003 })
  expect(bed.found()).toHaveLength(1)
})

test.each([
  ['later', { afterMs: 501 }],
  ['when it was just opened', { ageMs: 10 }],
  ['after a control of the stub’s own', { isInjected: false, code: 1003 }],
])('allows closing %s', (_when, options) => {
  const bed = createTestBed(controlsUnknownIgnored)
  for (let count = 0; count < 3; count++) meet(bed, options)
  expect(bed.found()).toEqual([])
})

test('allows a client that has ignored one before on the same socket', () => {
  const bed = createTestBed(controlsUnknownIgnored)
  for (let count = 0; count < 3; count++) {
    const socket = bed.open().authenticate()
    bed.pass(2000)
    socket.control('news', true)
    bed.pass(2000)
    socket.control('news', true)
    socket.leave()
  }
  expect(bed.found()).toEqual([])
})
