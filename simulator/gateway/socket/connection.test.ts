import { expect, test } from 'vitest'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createClock } from '../../clock.ts'
import { NO_HOOKS } from '../../faults/faults.ts'
import { STATED_LIMITS } from '../../stub-options.ts'
import { RESTART } from '../feed-protocol.ts'
import { createRooms } from '../rooms.ts'
import { type Connection, createConnection } from './connection.ts'
import type { SocketReporter } from './socket-reporter.ts'

const NO_REPORTER: SocketReporter = {
  authenticate() {},
  subscribe() {},
  frame() {},
  control() {},
  revision() {},
  ending() {},
  closed() {},
}
const EXPIRES_AT_MS = 60_000

test.each<[string, (connection: Connection) => void, readonly string[]]>([
  ['is ended', (connection) => connection.end(RESTART), ['close 1012']],
  ['is gone', (connection) => connection.release(), []],
  ['is cut', (connection) => connection.cut(), ['terminate']],
  // The peer notices nothing until it is cut.
  ['is ended while mute', (connection) => [connection.mute(), connection.end(RESTART)], []],
])('leaves its rooms and stops its timers when it %s', (_name, leave, expected) => {
  const clock = createClock({ startMs: 0 })
  const rooms = createRooms<Connection>()
  const done: string[] = []
  let authenticated = 0
  let released = 0
  const connection = createConnection({
    node: 1,
    id: 1,
    userAgent: '',
    socket: {
      readyState: 1,
      close: (code) => void done.push(`close ${code}`),
      ping() {},
      pong() {},
      terminate: () => void done.push('terminate'),
    },
    stream: { writableLength: 0, write() {}, once() {}, cork() {}, uncork() {} },
    auth: {
      redeemTicket: () => ({ address: 'bw1a', principal: 'bw1a', issuedAtMs: 0, expiresAtMs: EXPIRES_AT_MS }),
    },
    clock,
    views: { pool: () => undefined },
    rooms,
    choices: defaultChoices,
    faults: { hooks: NO_HOOKS },
    limits: STATED_LIMITS,
    report: NO_REPORTER,
    authenticated: () => authenticated++,
    silence() {},
    released: () => released++,
  })
  for (const frame of [
    '{"action":"authenticate","token":"t"}',
    '{"action":"subscribe","room":"pool_launches"}',
  ])
    connection.receive(Buffer.from(frame), { binary: false })
  expect([...rooms.members('pool_launches')]).toEqual([connection])
  expect(clock.nextAtMs()).toBe(EXPIRES_AT_MS)

  leave(connection)
  connection.release()
  expect(rooms.count()).toBe(0)
  expect(clock.nextAtMs()).toBeUndefined()
  expect([authenticated, released]).toEqual([1, 1])
  expect(done).toEqual(expected)
})
