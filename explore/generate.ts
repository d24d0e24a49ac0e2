/**
 * Draws sequences. Each sequence has its own weights (swarm testing), most commands concern what the last ones concerned, some
 * turns are concurrent, and the end looks at everything that was created, because a state shows only when it is read.
 */
import type { RandomStream } from '../simulator/random.ts'
import { drawAsk, drawForge, drawStrangers } from './generate-strangers.ts'
import {
  COMMAND_KINDS,
  type Command,
  type CommandKind,
  READ_PATHS,
  type Sequence,
  TURN_MAX,
  type Turn,
  WAITS,
  WALLETS_MAX,
} from './sequence.ts'

const COMMANDS_DRAWN = { min: 5, max: 60 }
const SOCKETS_MAX = 6
const SESSIONS_MAX = 10
/** Rooms that are drawn mostly: those of the busiest pools. */
const BUSY_ROOMS = 8
const ROOMS = 32

const WEIGHTS: Record<CommandKind, number> = {
  'sign-in': 8,
  read: 8,
  refresh: 12,
  'log-out': 4,
  'log-out-all': 2,
  'revoke-session': 4,
  'list-sessions': 4,
  'create-token': 5,
  'revoke-token': 4,
  'list-tokens': 4,
  ticket: 2,
  redeem: 2,
  connect: 6,
  renew: 5,
  subscribe: 8,
  unsubscribe: 5,
  synchronize: 2,
  hear: 4,
  close: 1,
  wait: 1,
  ask: 3,
  forge: 1,
}
const SWARM = [0, 0.5, 1, 1, 3]
/** Without these, nothing else can be drawn. */
const NEEDED: readonly CommandKind[] = ['sign-in']

/** Shares of turns. */
const CONCURRENT = 0.25
/** Of concurrent turns: copies of one command. */
const RACE = 0.5
/** Concerns what the last command concerned. */
const SAME = 0.6
const OVER = 0.2
const BAD_CSRF = 0.08

type Known = { label: string; wallet: number; isOver: boolean }
type KnownSocket = Known & { rooms: Set<number> }

/** What the commands so far have created, if all succeed. */
type Knowledge = {
  sessions: Known[]
  tokens: Known[]
  tickets: Known[]
  sockets: KnownSocket[]
  created: number
  last: { session: string; token: string; ticket: string; socket: string }
}

export function generateSequence(
  random: RandomStream,
  {
    start = [],
    kinds = COMMAND_KINDS,
  }: {
    /** Turns that come first. */
    start?: Sequence
    kinds?: readonly CommandKind[]
  } = {},
): Sequence {
  const known: Knowledge = {
    sessions: [],
    tokens: [],
    tickets: [],
    sockets: [],
    created: 0,
    last: { session: '', token: '', ticket: '', socket: '' },
  }
  const weights = drawWeights(random, kinds)
  const wallets = random.int(1, WALLETS_MAX)
  const draw = createDraw(random, known, wallets)
  const turns: Turn[] = []
  const add = (turn: Turn) => {
    for (const command of turn) learn(known, command)
    turns.push(turn)
  }
  for (const turn of start) add(turn)
  if (turns.length === 0) add([{ do: 'sign-in', wallet: 0, as: 's1' }])
  const wanted = random.int(COMMANDS_DRAWN.min, random.int(COMMANDS_DRAWN.min, COMMANDS_DRAWN.max))
  for (let count = 0; count < wanted; ) {
    const turn = drawTurn(random, () => draw(pickKind(random, weights)))
    add(turn)
    count += turn.length
  }
  for (const turn of drawLooks(random, known, kinds)) add(turn)
  return turns
}

function drawWeights(random: RandomStream, kinds: readonly CommandKind[]): [CommandKind, number][] {
  const drawn = kinds.map((kind): [CommandKind, number] => {
    const share = NEEDED.includes(kind) ? 1 : random.pick(SWARM)
    return [kind, WEIGHTS[kind] * share]
  })
  return drawn.filter(([, weight]) => weight > 0)
}

function pickKind(random: RandomStream, weights: readonly [CommandKind, number][]): CommandKind {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  let left = random.float() * total
  for (const [kind, weight] of weights) {
    left -= weight
    if (left < 0) return kind
  }
  return 'sign-in'
}

function drawTurn(random: RandomStream, draw: () => Command | undefined): Turn {
  const next = (): Command => {
    for (;;) {
      const command = draw()
      if (command) return command
    }
  }
  const first = next()
  if (random.float() >= CONCURRENT || SOLITARY.includes(first.do)) return [first]
  const width = random.pick([2, 2, 3, 4, random.int(5, 8), random.int(8, TURN_MAX)])
  if (random.float() < RACE && !('as' in first)) return Array.from({ length: width }, () => first)
  const turn = [first]
  for (let tries = 0; tries < 4 * width && turn.length < width; tries++) {
    const command = next()
    const isFree = !('as' in command) || turn.every((other) => !('as' in other) || other.as !== command.as)
    if (isFree && !SOLITARY.includes(command.do)) turn.push(command)
  }
  return turn
}

/** These compare or wait, so nothing should happen at the same time. */
const SOLITARY: readonly CommandKind[] = ['hear', 'wait', 'close', 'forge']

function createDraw(
  random: RandomStream,
  known: Knowledge,
  wallets: number,
): (kind: CommandKind) => Command | undefined {
  const one = (list: readonly Known[], last: string): string | undefined => {
    const same = list.find(({ label }) => label === last)
    if (same && random.float() < SAME && !same.isOver) return same.label
    const alive = list.filter(({ isOver }) => !isOver)
    const from = alive.length > 0 && random.float() >= OVER ? alive : list
    return from.length > 0 ? random.pick(from).label : undefined
  }
  const session = () => one(known.sessions, known.last.session)
  const token = () => one(known.tokens, known.last.token)
  const socket = () => one(known.sockets, known.last.socket)
  const credential = () => (random.float() < 0.75 ? session() : (token() ?? session()))
  const fresh = (letter: string) => `${letter}${++known.created}`
  const csrf = () => (random.float() < BAD_CSRF ? random.pick(['wrong', 'missing'] as const) : 'right')
  const rooms = (from: readonly number[]): number[] => {
    if (random.float() < 0.15) {
      const first = random.int(0, ROOMS / 2)
      return Array.from({ length: random.int(4, ROOMS / 2) }, (_, place) => first + place)
    }
    if (from.length > 0 && random.float() < 0.7) return [random.pick(from)]
    return [random.int(0, random.float() < 0.8 ? BUSY_ROOMS - 1 : ROOMS - 1)]
  }
  return (kind) => {
    const by = credential()
    const of = session()
    const at = socket()
    switch (kind) {
      case 'sign-in':
        if (known.sessions.length >= SESSIONS_MAX) return undefined
        // Mostly further sessions of a few wallets.
        return { do: kind, wallet: random.float() < SAME ? 0 : random.int(0, wallets - 1), as: fresh('s') }
      case 'read':
        return by ? { do: kind, by, path: random.pick(READ_PATHS) } : undefined
      case 'refresh':
        return of
          ? { do: kind, session: of, cookie: random.float() < 0.15 ? 'former' : 'current' }
          : undefined
      case 'log-out':
      case 'log-out-all':
        return of ? { do: kind, session: of, csrf: csrf() } : undefined
      case 'revoke-session': {
        const other = session()
        return of && other ? { do: kind, session: of, of: other, csrf: csrf() } : undefined
      }
      case 'list-sessions':
      case 'list-tokens':
        return of ? { do: kind, session: of } : undefined
      case 'create-token':
        return of ? { do: kind, session: of, as: fresh('t'), csrf: csrf() } : undefined
      case 'revoke-token': {
        const which = token()
        return of && which ? { do: kind, session: of, token: which, csrf: csrf() } : undefined
      }
      case 'ticket':
        return by ? { do: kind, by, as: fresh('k') } : undefined
      case 'redeem': {
        const ticket = one(known.tickets, known.last.ticket)
        return ticket && known.sockets.length < SOCKETS_MAX ? { do: kind, ticket, as: fresh('c') } : undefined
      }
      case 'connect':
        return by && known.sockets.length < SOCKETS_MAX ? { do: kind, by, as: fresh('c') } : undefined
      case 'renew': {
        const wallet = known.sockets.find(({ label }) => label === at)?.wallet
        const own = [...known.sessions, ...known.tokens].filter(
          (each) => each.wallet === wallet && !each.isOver,
        )
        return at && own.length > 0 ? { do: kind, socket: at, by: random.pick(own).label } : undefined
      }
      case 'subscribe': {
        const left = known.sockets.find(({ label }) => label === at)
        return at ? { do: kind, socket: at, rooms: rooms([...(left?.rooms ?? [])]) } : undefined
      }
      case 'unsubscribe': {
        const joined = known.sockets.find(({ label }) => label === at)
        return at && joined && joined.rooms.size > 0
          ? { do: kind, socket: at, rooms: rooms([...joined.rooms]) }
          : undefined
      }
      case 'synchronize':
      case 'hear':
      case 'close':
        return at ? { do: kind, socket: at } : undefined
      case 'wait':
        return { do: kind, for: random.pick([...WAITS, 'grace']) }
      case 'ask':
        return drawAsk(random, { session: session(), token: token() })
      case 'forge':
        return drawForge(random, wallets)
    }
  }
}

/** Follows what a command creates and ends, if it succeeds. */
function learn(known: Knowledge, command: Command): void {
  const all = [...known.sessions, ...known.tokens, ...known.tickets, ...known.sockets]
  const walletOf = (label: string) => all.find((each) => each.label === label)?.wallet ?? 0
  const end = (which: (each: Known) => boolean, list: readonly Known[]) => {
    for (const each of list) if (which(each)) each.isOver = true
  }
  if ('as' in command) known.created = Math.max(known.created, Number(command.as.slice(1)))
  if ('session' in command) known.last.session = command.session
  if ('socket' in command) known.last.socket = command.socket
  switch (command.do) {
    case 'sign-in':
      known.sessions.push({ label: command.as, wallet: command.wallet, isOver: false })
      known.last.session = command.as
      return
    case 'log-out':
      return end(({ label }) => label === command.session, known.sessions)
    case 'log-out-all': {
      const wallet = walletOf(command.session)
      return end((each) => each.wallet === wallet, known.sessions)
    }
    case 'revoke-session':
      return end(({ label }) => label === command.of, known.sessions)
    case 'create-token':
      known.tokens.push({ label: command.as, wallet: walletOf(command.session), isOver: false })
      known.last.token = command.as
      return
    case 'revoke-token':
      return end(({ label }) => label === command.token, known.tokens)
    case 'ticket':
      known.tickets.push({ label: command.as, wallet: walletOf(command.by), isOver: false })
      known.last.ticket = command.as
      return
    case 'connect':
    case 'redeem': {
      const wallet = walletOf(command.do === 'connect' ? command.by : command.ticket)
      known.sockets.push({ label: command.as, wallet, isOver: false, rooms: new Set() })
      known.last.socket = command.as
      return
    }
    case 'subscribe':
    case 'unsubscribe': {
      const rooms = known.sockets.find(({ label }) => label === command.socket)?.rooms
      for (const room of command.rooms)
        if (command.do === 'subscribe') rooms?.add(room)
        else rooms?.delete(room)
      return
    }
    case 'close':
      return end(({ label }) => label === command.socket, known.sockets)
    case 'wait':
      if (command.for !== 'grace') end(() => true, [...known.tickets, ...known.sockets])
      return
  }
}

const REVIVALS = 0.5

/** The end of a sequence: everything is read once, sockets are compared, and refreshes show whether a session revives. */
function drawLooks(random: RandomStream, known: Knowledge, kinds: readonly CommandKind[]): Turn[] {
  const path = random.pick(READ_PATHS)
  const reads = [...known.sessions, ...known.tokens].map(
    ({ label }): Command => ({ do: 'read', by: label, path }),
  )
  const lists = [
    ...new Set(known.sessions.filter(({ isOver }) => !isOver).map(({ wallet }) => wallet)),
  ].flatMap((wallet): Command[] => {
    const session = known.sessions.findLast((each) => each.wallet === wallet && !each.isOver)?.label ?? ''
    return [
      { do: 'list-sessions', session },
      { do: 'list-tokens', session },
    ]
  })
  const hears = known.sockets
    .filter(({ isOver }) => !isOver)
    .map(({ label }): Command => ({ do: 'hear', socket: label }))
  const revivals =
    random.float() < REVIVALS
      ? known.sessions.flatMap(({ label }): Command[] => [
          { do: 'refresh', session: label, cookie: 'current' },
          { do: 'read', by: label, path },
        ])
      : []
  return [...reads, ...lists, ...hears, ...revivals, ...drawStrangers(random, known)]
    .filter((command) => kinds.includes(command.do))
    .map((command) => [command])
}
