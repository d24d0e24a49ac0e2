/** Everything that the commands of a sequence have created, if all succeed. */
import type { Command, CommandKind, CommandOf } from './sequence.ts'

/** `by`: the credential of a ticket, or of the ticket that opened a socket. */
export type Known = { label: string; wallet: number; isOver: boolean; isRefreshed?: true; by?: string }
export type KnownSocket = Known & { rooms: Set<number>; left: Set<number> }

export type Knowledge = {
  sessions: Known[]
  tokens: Known[]
  tickets: Known[]
  sockets: KnownSocket[]
  created: number
  last: { session: string; token: string; ticket: string; socket: string }
  /** The last command of each kind. */
  previous: Partial<Record<CommandKind, Command>>
}

export function createKnowledge(): Knowledge {
  return {
    sessions: [],
    tokens: [],
    tickets: [],
    sockets: [],
    created: 0,
    last: { session: '', token: '', ticket: '', socket: '' },
    previous: {},
  }
}

/** Tickets and sockets outlast these. */
const SHORT_WAITS: readonly CommandOf<'wait'>['for'][] = ['market', 'grace', 'ticket-half']

/** Records what a command creates and ends, if it succeeds. */
export function learn(known: Knowledge, command: Command): void {
  const all = [...known.sessions, ...known.tokens, ...known.tickets, ...known.sockets]
  const walletOf = (label: string) => all.find((each) => each.label === label)?.wallet ?? 0
  const end = (which: (each: Known) => boolean, list: readonly Known[]) => {
    for (const each of list) if (which(each)) each.isOver = true
  }
  known.previous[command.do] = command
  if ('as' in command) known.created = Math.max(known.created, Number(command.as.slice(1)))
  if ('session' in command) known.last.session = command.session
  if ('socket' in command) known.last.socket = command.socket
  switch (command.do) {
    case 'sign-in':
      known.sessions.push({ label: command.as, wallet: command.wallet, isOver: false })
      known.last.session = command.as
      return
    case 'refresh':
      for (const session of known.sessions) if (session.label === command.session) session.isRefreshed = true
      return
    case 'log-out':
      end(({ label }) => label === command.session, known.sessions)
      return
    case 'log-out-all': {
      const wallet = walletOf(command.session)
      end((each) => each.wallet === wallet, known.sessions)
      return
    }
    case 'revoke-session':
      end(({ label }) => label === command.of, known.sessions)
      return
    case 'create-token':
      known.tokens.push({ label: command.as, wallet: walletOf(command.session), isOver: false })
      known.last.token = command.as
      return
    case 'revoke-token':
      end(({ label }) => label === command.token, known.tokens)
      return
    case 'ticket':
      known.tickets.push({ label: command.as, wallet: walletOf(command.by), isOver: false, by: command.by })
      known.last.ticket = command.as
      return
    case 'connect':
    case 'redeem': {
      const ticket =
        command.do === 'redeem' ? known.tickets.find(({ label }) => label === command.ticket) : command
      const by = ticket?.by ?? ''
      known.sockets.push({
        label: command.as,
        wallet: walletOf(by),
        isOver: false,
        by,
        rooms: new Set(),
        left: new Set(),
      })
      known.last.socket = command.as
      // It is not stated whether a ticket works twice.
      if (command.do === 'redeem') end(({ label }) => label === command.ticket, known.tickets)
      return
    }
    case 'subscribe':
    case 'unsubscribe': {
      const socket = known.sockets.find(({ label }) => label === command.socket)
      if (!socket) return
      const [to, from] =
        command.do === 'subscribe' ? [socket.rooms, socket.left] : [socket.left, socket.rooms]
      for (const room of command.rooms) {
        to.add(room)
        from.delete(room)
      }
      return
    }
    case 'close':
      end(({ label }) => label === command.socket, known.sockets)
      return
    case 'wait':
      if (!SHORT_WAITS.includes(command.for)) end(() => true, [...known.tickets, ...known.sockets])
      return
  }
}

/** The credential of a ticket, or of the ticket that opened a socket, unless it is over. */
export function findCredential({ sessions, tokens }: Knowledge, { by }: Known): Known | undefined {
  return [...sessions, ...tokens].find(({ label, isOver }) => label === by && !isOver)
}
