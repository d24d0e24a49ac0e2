import { expect, test } from 'vitest'
import { type Command, type CommandOf, FOREIGN_ROOM } from '../sequence.ts'
import type { Outcome } from './state.ts'
import { explainAll, type Happened, happened, SIGNED_IN } from './test-happened.ts'

const OPEN: Outcome = { status: 200, isSynchronized: true }
const SILENT: Outcome = { status: 200, isSynchronized: false }
const closed = (closeCode: number): Outcome => ({ ...SILENT, closeCode })

const then = (command: Command, outcome: Outcome, atSeconds?: number): Happened =>
  happened(command, outcome.status, { outcome, ...(atSeconds !== undefined && { atSeconds }) })
const connect = (outcome: Outcome, by = 's1') => then({ do: 'connect', by, as: 'c1' }, outcome)
const TICKET = then({ do: 'ticket', by: 's1', as: 'k1' }, { status: 200 })
const redeem = (outcome: Outcome, atSeconds?: number) =>
  then({ do: 'redeem', ticket: 'k1', as: 'c1' }, outcome, atSeconds)
const renew = (outcome: Outcome, { by = 's1', atSeconds }: { by?: string; atSeconds?: number } = {}) =>
  then({ do: 'renew', socket: 'c1', by }, outcome, atSeconds)
const synchronize = (outcome: Outcome, atSeconds?: number) =>
  then({ do: 'synchronize', socket: 'c1' }, outcome, atSeconds)
const rooms = (kind: 'subscribe' | 'unsubscribe', ...places: number[]) =>
  then({ do: kind, socket: 'c1', rooms: places }, { status: 0 })
const hear = (heard: Outcome['heard']) => then({ do: 'hear', socket: 'c1' }, { ...OPEN, heard: heard ?? {} })
const LOG_OUT: CommandOf<'log-out'> = { do: 'log-out', session: 's1', csrf: 'right' }
const MANY = Array.from({ length: 33 }, (_, place) => place)

test.each<{ what: string; history: Happened[]; rule: string | null }>([
  { what: 'a new ticket does not authenticate', history: [connect(SILENT)], rule: 'ws.ticket.by-session' },
  {
    what: 'a new ticket is rejected with a close',
    history: [connect(closed(4401))],
    rule: 'ws.ticket.by-session',
  },
  ...[1001, 1006, 1011, 1012].map((code) => ({
    what: `a socket is cut with ${code} while it opens`,
    history: [connect(closed(code))],
    rule: null,
  })),
  {
    what: 'no ticket for an active session',
    history: [connect({ status: 403 })],
    rule: 'auth.verify.signs-in',
  },
  { what: 'a handshake fails', history: [connect({ status: 200 })], rule: null },
  {
    what: 'a ticket for an ended session',
    history: [happened(LOG_OUT, 200), connect(OPEN)],
    rule: 'auth.logout.current-only',
  },
  { what: 'a ticket works', history: [TICKET, redeem(OPEN)], rule: null },
  { what: 'a ticket does not work', history: [TICKET, redeem(SILENT)], rule: 'ws.auth.ticket' },
  { what: 'a restart while a ticket is redeemed', history: [TICKET, redeem(closed(1012))], rule: null },
  {
    what: 'a used ticket is open',
    history: [TICKET, redeem(OPEN), redeem(SILENT), redeem(OPEN)],
    rule: null,
  },
  {
    what: 'a ticket of an ended session is open',
    history: [TICKET, happened(LOG_OUT, 200), redeem(SILENT)],
    rule: null,
  },
  {
    what: 'a ticket of an API token after logout-all is open',
    history: [
      happened({ do: 'create-token', session: 's1', as: 't1', csrf: 'right' }, 201),
      then({ do: 'ticket', by: 't1', as: 'k1' }, { status: 200 }),
      happened({ ...LOG_OUT, do: 'log-out-all' }, 200),
      redeem(SILENT),
    ],
    rule: null,
  },
  { what: 'a ticket works after 77 s', history: [TICKET, redeem(OPEN, 77)], rule: 'ws.ticket.expires-60s' },
  { what: 'a ticket after 58 s, on clocks that differ', history: [TICKET, redeem(SILENT, 58)], rule: null },
  {
    what: 'a ticket whose request took 40 s may be that much younger',
    history: [{ ...TICKET, tookSeconds: 40 }, redeem(OPEN, 77)],
    rule: null,
  },
  {
    what: 'synchronize gets no response',
    history: [connect(OPEN), synchronize(SILENT)],
    rule: 'ws.sync.answered',
  },
  {
    what: 'an open socket is closed',
    history: [connect(OPEN), synchronize(closed(4400))],
    rule: 'ws.sync.answered',
  },
  { what: 'a deployment closes a socket', history: [connect(OPEN), synchronize(closed(1012))], rule: null },
  {
    what: 'a socket outlives its ticket',
    history: [connect(OPEN), synchronize(OPEN, 80)],
    rule: 'ws.ticket.ends-connection',
  },
  {
    what: 'a renewal works',
    history: [connect(OPEN), renew(OPEN, { atSeconds: 50 }), synchronize(OPEN, 80)],
    rule: null,
  },
  { what: 'a renewal fails', history: [connect(OPEN), renew(SILENT)], rule: 'ws.ticket.renewal' },
  {
    what: 'a renewal by another session of the wallet fails: both may be the same principal, or not',
    history: [connect(OPEN), renew(SILENT, { by: 's2' })],
    rule: null,
  },
  {
    what: 'a connection ends with its first ticket, after a renewal by another session of the wallet',
    history: [connect(OPEN), renew(OPEN, { by: 's2', atSeconds: 40 }), synchronize(closed(4401), 65)],
    rule: null,
  },
  {
    what: 'a renewal by another session of the wallet keeps a connection for more than a minute',
    history: [connect(OPEN), renew(OPEN, { by: 's2', atSeconds: 40 }), synchronize(OPEN, 120)],
    rule: 'ws.ticket.ends-connection',
  },
  {
    what: 'a restart during a renewal',
    history: [connect(OPEN), renew(closed(1012)), synchronize(SILENT)],
    rule: null,
  },
  {
    what: 'a renewal by another wallet: the specification does not state what happens to the connection',
    history: [connect(OPEN), renew(SILENT, { by: 's3' }), synchronize(OPEN), synchronize(SILENT)],
    rule: null,
  },
  {
    what: 'a renewal by another wallet keeps the connection after its own ticket has expired',
    history: [connect(OPEN), renew(OPEN, { by: 's3', atSeconds: 50 }), synchronize(OPEN, 80)],
    rule: 'ws.ticket.renewal-other-principal',
  },
  {
    what: 'a renewal by another wallet, then by the own one',
    history: [
      connect(OPEN),
      renew(OPEN, { by: 's3', atSeconds: 20 }),
      renew(OPEN, { atSeconds: 50 }),
      synchronize(OPEN, 80),
    ],
    rule: null,
  },
  {
    what: 'a renewal whose result is unknown may have worked',
    history: [connect(OPEN), renew(closed(1012), { atSeconds: 50 }), synchronize(OPEN, 80)],
    rule: null,
  },
  {
    what: 'the balances of another wallet',
    history: [
      connect(OPEN),
      rooms('subscribe', FOREIGN_ROOM),
      hear({ [FOREIGN_ROOM]: { witness: 3, socket: 1 } }),
    ],
    rule: 'ws.rooms.foreign-balance',
  },
  {
    what: 'a connection that was closed because of the balances of another wallet',
    history: [connect(OPEN), rooms('subscribe', FOREIGN_ROOM), synchronize(closed(1008))],
    rule: null,
  },
  {
    what: 'a renewal restores an expired connection',
    history: [connect(OPEN), renew(OPEN, { atSeconds: 80 })],
    rule: 'ws.ticket.ends-connection',
  },
  {
    what: 'whether a socket outlives its session is open',
    history: [connect(OPEN), happened(LOG_OUT, 200), synchronize(SILENT), synchronize(OPEN)],
    rule: null,
  },
  {
    what: 'a room delivers',
    history: [connect(OPEN), rooms('subscribe', 1), hear({ 1: { witness: 3, socket: 1 } })],
    rule: null,
  },
  {
    what: 'a room is silent',
    history: [connect(OPEN), rooms('subscribe', 1), hear({ 1: { witness: 3, socket: 0 } })],
    rule: 'ws.rooms.32-deliver',
  },
  {
    what: 'two missed events show nothing',
    history: [connect(OPEN), rooms('subscribe', 1), hear({ 1: { witness: 2, socket: 0 } })],
    rule: null,
  },
  {
    what: 'a room that was left delivers',
    history: [
      connect(OPEN),
      rooms('subscribe', 1),
      rooms('unsubscribe', 1),
      hear({ 1: { witness: 3, socket: 1 } }),
    ],
    rule: 'ws.rooms.unsubscribe',
  },
  {
    what: 'a room that was not joined delivers',
    history: [connect(OPEN), rooms('subscribe', 1), hear({ 2: { witness: 3, socket: 1 } })],
    rule: 'ws.rooms.only-subscribed',
  },
  {
    what: 'a room is silent after others were left',
    history: [
      connect(OPEN),
      rooms('subscribe', 1, 2),
      rooms('unsubscribe', 2),
      hear({ 1: { witness: 3, socket: 0 } }),
    ],
    rule: 'ws.rooms.freed',
  },
  {
    what: 'a room is silent after a renewal',
    history: [connect(OPEN), rooms('subscribe', 1), renew(OPEN), hear({ 1: { witness: 3, socket: 0 } })],
    rule: 'ws.ticket.renewal-keeps-rooms',
  },
  {
    what: 'beyond 32 rooms everything is open',
    history: [connect(OPEN), rooms('subscribe', ...MANY), hear({ 1: { witness: 3, socket: 0 } })],
    rule: null,
  },
  {
    what: 'a renewed socket may end with the session that opened it',
    history: [connect(OPEN), renew(OPEN, { by: 's2' }), happened(LOG_OUT, 200), synchronize(closed(4401))],
    rule: null,
  },
  {
    what: 'a renewed socket does not end with another session',
    history: [
      connect(OPEN),
      renew(OPEN),
      happened({ ...LOG_OUT, session: 's2' }, 200, { outcome: { status: 200, used: 0 } }),
      synchronize(closed(4401)),
    ],
    rule: 'ws.sync.answered',
  },
  {
    what: 'with a few frames less than the limit, a socket is closed',
    history: [connect(OPEN), synchronize({ ...OPEN, recentlySent: 216 }), synchronize(closed(1008))],
    rule: 'ws.sync.answered',
  },
  {
    what: 'near the limit of frames nothing is asserted, nor later',
    history: [connect(OPEN), synchronize({ ...OPEN, recentlySent: 217 }), synchronize(closed(1008))],
    rule: null,
  },
  {
    what: 'near the limit of frames, subscriptions may be dropped',
    history: [
      connect(OPEN),
      then({ do: 'subscribe', socket: 'c1', rooms: [1] }, { status: 0, recentlySent: 217 }),
      hear({ 1: { witness: 3, socket: 0 } }),
    ],
    rule: null,
  },
  {
    what: 'events that are compared while other commands are under way show nothing',
    history: [
      connect(OPEN),
      rooms('subscribe', 1),
      { ...hear({ 1: { witness: 3, socket: 0 } }), isAlone: false },
    ],
    rule: null,
  },
])('$what', ({ history, rule }) => {
  const explained = explainAll([...SIGNED_IN, ...history])
  if (rule !== null) expect(explained).toBe(rule)
  else expect(explained).toEqual(expect.any(Array))
  expect(explainAll([...SIGNED_IN, ...history.slice(0, -1)])).toEqual(expect.any(Array))
})
