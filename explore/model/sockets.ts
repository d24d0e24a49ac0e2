/** Tickets, sockets and rooms (Authentication 9; Events; Limits). */
import { LOST_CODES } from '../../contract/close-codes.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Command, type CommandOf, FOREIGN_ROOM } from '../sequence.ts'
import { describeStatus, expectCredential, explainUse, isSuccess } from './credentials.ts'
import {
  type Done,
  type Explained,
  type Outcome,
  put,
  type SocketState,
  type State,
  type TicketTimes,
  type Violation,
} from './state.ts'

const TICKET_MS = LIMITS.wsTicketSeconds * 1000
const SURE_MS = TICKET_MS - 8000
const OVER_MS = TICKET_MS + 15_000
/** An exchange may count frames and pings a little differently. */
const FRAMES_SURE = 0.9 * LIMITS.wsFramesPerMinute
/** A witness may be ahead of a socket by one event of a room. */
const WITNESS_MIN = 3

export function explainTicket(state: State, done: Done<CommandOf<'ticket'>>): Explained {
  const { command } = done
  const wallet = findWallet(state, command.by)
  return explainUse(state, done, {
    by: command.by,
    succeed: () => [
      put(state, 'tickets', command.as, {
        wallet,
        by: command.by,
        issued: readTimes(done),
        isUsed: false,
      }),
    ],
  })
}

export function explainConnect(state: State, done: Done<CommandOf<'connect'>>): Explained {
  const { command, outcome } = done
  const { by } = command
  if (!isSuccess(outcome)) return explainUse(state, done, { by })
  const allowed = explainUse(state, done, { by })
  if (!Array.isArray(allowed)) return allowed
  const socket = openSocket({ wallet: findWallet(state, by), by: [by], ticket: readTimes(done) })
  if (outcome.isSynchronized) return [put(state, 'sockets', command.as, socket)]
  const isOpen = outcome.isSynchronized === undefined || wasCut(outcome)
  if (isOpen || expectCredential(state, by, done).must !== 'work')
    return [put(state, 'sockets', command.as, { ...socket, status: 'unsure' })]
  return {
    rule: by in state.tokens ? 'ws.ticket.by-api-token' : 'ws.ticket.by-session',
    expected: '`synchronized`, because the ticket is new',
    observed: describeSilence(done),
  }
}

export function explainRedeem(state: State, done: Done<CommandOf<'redeem'>>): Explained {
  const { command, outcome, callMs, returnMs } = done
  const ticket = state.tickets[command.ticket]
  if (!ticket || outcome.isSynchronized === undefined) return [state]
  const used = put(state, 'tickets', command.ticket, { ...ticket, isUsed: true })
  const socket = openSocket({ wallet: ticket.wallet, by: [ticket.by], ticket: ticket.issued })
  if (outcome.isSynchronized) {
    if (callMs - ticket.issued.beforeMs > OVER_MS)
      return {
        rule: 'ws.ticket.expires-60s',
        expected: `no \`synchronized\`, because the ticket is ${describeAge(ticket.issued, done)} old`,
        observed: '`synchronized`',
      }
    return [put(used, 'sockets', command.as, socket)]
  }
  // It is not stated whether a ticket works twice, or outlives its credential.
  const isSure =
    !ticket.isUsed &&
    !wasCut(outcome) &&
    returnMs - ticket.issued.afterMs < SURE_MS &&
    (state.sessions[ticket.by] ?? state.tokens[ticket.by])?.status === 'active'
  if (!isSure) return [used]
  return {
    rule: 'ws.auth.ticket',
    expected: '`synchronized`, because the ticket is valid and unused',
    observed: describeSilence(done),
  }
}

function openSocket(given: Pick<SocketState, 'wallet' | 'by' | 'ticket'>): SocketState {
  return {
    ...given,
    status: 'open',
    rooms: [],
    left: [],
    isRenewed: false,
    isUsurped: false,
  }
}

type SocketCommand = Extract<Command, { socket: string }>

/** Checks what must be true of a socket: after its ticket has expired, it must end. */
function expectSocket(socket: SocketState, { callMs, returnMs }: Done): 'open' | 'closed' | 'either' {
  if (socket.status === 'closed') return 'closed'
  if (callMs - socket.ticket.beforeMs > OVER_MS) return 'closed'
  return socket.status === 'open' && returnMs - socket.ticket.afterMs < SURE_MS ? 'open' : 'either'
}

export function explainSocket(before: State, done: Done<SocketCommand>): Explained {
  const { command, outcome } = done
  const known = before.sockets[command.socket]
  if (!known) return [before]
  // Beyond the limit, the exchange may drop frames or close the socket.
  const isBusy = known.status === 'open' && (outcome.recentlySent ?? 0) > FRAMES_SURE
  const socket: SocketState = isBusy ? { ...known, status: 'unsure' } : known
  const state = isBusy ? put(before, 'sockets', command.socket, socket) : before
  const foreign = done.outcome.heard?.[FOREIGN_ROOM]?.socket ?? 0
  if (foreign > 0)
    return {
      rule: 'ws.rooms.foreign-balance',
      expected: 'no event of the balances of another wallet',
      observed: `${foreign}`,
    }
  if (command.do !== 'renew' && socket.status === 'open' && wasCut(done.outcome))
    return [put(state, 'sockets', command.socket, { ...socket, status: 'unsure' })]
  switch (command.do) {
    case 'close':
      return [put(state, 'sockets', command.socket, { ...socket, status: 'closed' })]
    case 'subscribe':
    case 'unsubscribe':
      return [put(state, 'sockets', command.socket, changeRooms(socket, command))]
    case 'renew':
      return explainRenewal(state, { ...done, command }, socket)
    case 'synchronize':
      return explainSynchronize(state, done, socket)
    case 'hear':
      return explainHearing(state, done, socket)
  }
}

function changeRooms(
  socket: SocketState,
  { do: kind, rooms }: CommandOf<'subscribe'> | CommandOf<'unsubscribe'>,
): SocketState {
  const others = socket.rooms.filter((room) => !rooms.includes(room))
  if (kind === 'unsubscribe') {
    const left = [...new Set([...socket.left, ...rooms.filter((room) => socket.rooms.includes(room))])]
    return { ...socket, rooms: others, left }
  }
  const joined = [...socket.rooms, ...new Set(rooms.filter((room) => !socket.rooms.includes(room)))]
  // Which rooms a connection keeps beyond the limit, and whether it goes on, is not stated.
  const isOver = joined.length > LIMITS.wsRoomsPerConnection
  // Nor what follows a room that a connection may not join: it may be closed.
  const isForeign = rooms.includes(FOREIGN_ROOM)
  const left = socket.left.filter((room) => !rooms.includes(room))
  return {
    ...socket,
    rooms: joined.sort((a, b) => a - b),
    left,
    ...((isOver || isForeign) && { status: 'unsure' as const }),
  }
}

function explainRenewal(state: State, done: Done<CommandOf<'renew'>>, socket: SocketState): Explained {
  const { command, outcome } = done
  const { by } = command
  const isOwn = findWallet(state, by) === socket.wallet
  // "Same principal" may mean the same wallet, or the same session or API token.
  const isSame = socket.by.includes(by)
  // It is not stated whether a socket outlives the credential that opened it.
  const both = [...new Set([...socket.by, by])].sort()
  const was = expectSocket(socket, done)
  const allowed = explainUse(state, done, { by })
  if (!isSuccess(outcome) || !Array.isArray(allowed)) return allowed
  if (!outcome.isSynchronized) {
    const mustWork =
      isSame &&
      was === 'open' &&
      !wasCut(outcome) &&
      expectCredential(state, by, done).must === 'work' &&
      outcome.isSynchronized === false
    if (mustWork)
      return {
        rule: 'ws.ticket.renewal',
        expected: '`synchronized`, because the socket was open and the new ticket is of the same credential',
        observed: describeSilence(done),
      }
    // The exchange may have accepted the ticket.
    const times = isOwn ? { by: both, ticket: readTimes(done) } : { isUsurped: true }
    return [put(state, 'sockets', command.socket, { ...socket, ...times, status: 'unsure' })]
  }
  if (was === 'closed') return violateOver(socket, done)
  // It is not stated whether the ticket of another principal ends a connection, only that it does not renew it.
  const renewed = { by: both, ticket: readTimes(done), isRenewed: true, isUsurped: false }
  const next: SocketState = isOwn
    ? { ...socket, ...renewed, status: isSame ? socket.status : 'unsure' }
    : { ...socket, isUsurped: true, status: 'unsure' }
  return [put(state, 'sockets', command.socket, next)]
}

function explainSynchronize(state: State, done: Done, socket: SocketState): Explained {
  const { isSynchronized } = done.outcome
  if (isSynchronized === undefined) return [state]
  const expected = expectSocket(socket, done)
  if (isSynchronized) return expected === 'closed' ? violateOver(socket, done) : [state]
  if (expected !== 'open') return [state]
  return {
    rule: 'ws.sync.answered',
    expected: '`synchronized`, because the socket is open and its ticket valid',
    observed: describeSilence(done),
  }
}

function violateOver({ ticket, isUsurped }: SocketState, done: Done): Violation {
  return {
    rule: isUsurped ? 'ws.ticket.renewal-other-principal' : 'ws.ticket.ends-connection',
    expected: `a closed connection, because its ticket is ${describeAge(ticket, done)} old`,
    observed: '`synchronized`',
  }
}

function readTimes({ callMs, returnMs }: Done): TicketTimes {
  return { afterMs: callMs, beforeMs: returnMs }
}

function describeAge({ beforeMs }: TicketTimes, { callMs }: Done): string {
  return `${Math.round((callMs - beforeMs) / 1000)} s`
}

function wasCut({ closeCode }: Outcome): boolean {
  return closeCode !== undefined && LOST_CODES.includes(closeCode)
}

/** Compares with a witness that is in all rooms: delivery is at most once, so a single missing event shows nothing. */
function explainHearing(state: State, done: Done, socket: SocketState): Explained {
  const { heard, isSynchronized } = done.outcome
  if (heard === undefined || !done.isAlone || expectSocket(socket, done) !== 'open') return [state]
  if (isSynchronized === false) return explainSynchronize(state, done, socket)
  for (const [name, { witness, socket: got }] of Object.entries(heard)) {
    const room = Number(name)
    const isJoined = socket.rooms.includes(room)
    if (isJoined && got === 0 && witness >= WITNESS_MIN)
      return {
        rule: socket.isRenewed
          ? 'ws.ticket.renewal-keeps-rooms'
          : socket.left.length > 0
            ? 'ws.rooms.freed'
            : 'ws.rooms.32-deliver',
        expected: `events of room ${room}, which it is in`,
        observed: `none, while a witness got ${witness}`,
      }
    if (!isJoined && got > 0)
      return {
        rule: socket.left.includes(room) ? 'ws.rooms.unsubscribe' : 'ws.rooms.only-subscribed',
        expected: `no event of room ${room}, which it is not in`,
        observed: `${got}`,
      }
  }
  return [state]
}

function findWallet(state: State, credential: string): number {
  return (state.sessions[credential] ?? state.tokens[credential])?.wallet ?? -1
}

function describeSilence({ outcome }: Done): string {
  if (outcome.closeCode !== undefined) return `the socket closed with ${outcome.closeCode}`
  return isSuccess(outcome) || outcome.status === 0
    ? 'no `synchronized` within 15 s'
    : `a ticket request: ${describeStatus(outcome)}`
}
