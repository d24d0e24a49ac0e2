/** Draws one command of a kind, usually about the same session, token or socket as the last commands. */
import type { RandomStream } from '../simulator/random.ts'
import { drawAsk, drawForge } from './generate-strangers.ts'
import { findCredential, type Knowledge, type Known } from './known.ts'
import {
  ADMINISTRATOR,
  AMOUNTS,
  type Command,
  type CommandKind,
  type CommandOf,
  FOREIGN_ROOM,
  MINIMA,
  MINT_AMOUNTS,
  READ_PATHS,
  SEARCHES,
  SESSIONS_MAX,
  SHARED_ROOMS,
  SOCKETS_MAX,
  TOKENS_MAX,
  UNPOOLED,
  WALLETS_MAX,
} from './sequence.ts'

/** Rooms that are drawn mostly: those of the busiest pools. */
const BUSY_ROOMS = 6
const MANY_ROOMS = 0.1
const ALL_ROOMS = 0.5
const ROOMS_OF_POOL = 0.15
const FOREIGN = 0.04
const PLACES = 64
const FEW_PLACES = 5
const FEW_PLACES_SHARE = 0.5

/** Shares: further sessions of the first wallet; what has ended; a wrong CSRF token; another wallet's ticket; an administrator. */
const FIRST_WALLET = 0.6
const OVER = 0.2
const BAD_CSRF = 0.08
const OTHER_PRINCIPAL = 0.12
/** Share of other renewals with the credential that opened the socket. Only these must work. */
const SAME_CREDENTIAL = 0.8
const ADMINS = 0.4

export type Drawing = {
  random: RandomStream
  known: Knowledge
  /** Number of wallets. */
  wallets: number
  /** Kinds that the sequence draws. */
  kinds: readonly CommandKind[]
  /** Share of commands that concern what the last one concerned. */
  sameShare: number
  /** Rooms that its sockets mostly share. */
  favorites: readonly number[]
}

export function drawFavorites(random: RandomStream): number[] {
  return Array.from({ length: random.int(1, 3) }, () => random.int(0, BUSY_ROOMS - 1))
}

/** Returns undefined if nothing exists that the command could use. */
export function drawCommand(kind: CommandKind, drawing: Drawing): Command | undefined {
  // as: each kind has the function for its commands
  const drawKind = DRAW[kind] as (kind: CommandKind, draw: Draw) => Command | undefined
  return drawKind(kind, createDraw(drawing))
}

type Draw = ReturnType<typeof createDraw>

function createDraw({ random, known, wallets, kinds, sameShare, favorites }: Drawing) {
  const one = (list: readonly Known[], last: string): string | undefined => {
    const same = list.find(({ label }) => label === last)
    if (same && random.float() < sameShare && !same.isOver) return same.label
    const alive = list.filter(({ isOver }) => !isOver)
    const from = alive.length > 0 && random.float() >= OVER ? alive : list
    return from.length > 0 ? random.pick(from).label : undefined
  }
  const session = () => one(known.sessions, known.last.session)
  const token = () => one(known.tokens, known.last.token)
  return {
    random,
    known,
    wallets,
    kinds,
    session,
    token,
    ticket: () => one(known.tickets, known.last.ticket),
    socket: () => one(known.sockets, known.last.socket),
    credential: () => (random.float() < 0.75 ? session() : (token() ?? session())),
    /** For requests that API tokens must not send. */
    either: () => (random.float() < 0.5 ? session() : (token() ?? session())),
    fresh: (letter: string) => `${letter}${++known.created}`,
    csrf: () => (random.float() < BAD_CSRF ? random.pick(['wrong', 'missing'] as const) : 'right'),
    /** Mostly one of a few, so that commands concern the same. */
    place: () => random.int(0, random.float() < FEW_PLACES_SHARE ? FEW_PLACES - 1 : PLACES - 1),
    /** Mostly one of those in a list that is not empty. */
    rooms(...from: readonly (readonly number[])[]): number[] {
      if (random.float() < MANY_ROOMS) {
        const count = random.float() < ALL_ROOMS ? SHARED_ROOMS : random.int(4, SHARED_ROOMS)
        // Often a busy room comes last.
        const busy = random.pick(favorites) + 1 - count + SHARED_ROOMS
        const first = random.float() < 0.5 ? busy : random.int(0, SHARED_ROOMS - 1)
        return Array.from({ length: count }, (_, place) => (first + place) % SHARED_ROOMS)
      }
      if (random.float() < ROOMS_OF_POOL) {
        const first = 3 * Math.floor(random.pick(favorites) / 3)
        return [first, first + 1, first + 2]
      }
      const lists = from.filter((list) => list.length > 0)
      if (lists.length > 0 && random.float() < 0.6) return [random.pick(random.pick(lists))]
      if (random.float() < 0.5) return [random.pick(favorites)]
      return [random.int(0, random.float() < 0.8 ? BUSY_ROOMS - 1 : SHARED_ROOMS - 1)]
    },
  }
}

const ADMIN_KINDS: readonly CommandKind[] = ['read-codes', 'mint']
const FAUCET_WAITS = ['faucet-early', 'faucet'] as const
const CREDENTIAL_WAITS = ['grace', 'grace', 'ticket-half', 'ticket-half', 'ticket', 'access'] as const

type DrawKind<Kind extends CommandKind> = (kind: Kind, draw: Draw) => CommandOf<Kind> | undefined

const DRAW: { [Kind in CommandKind]: DrawKind<Kind> } = {
  'sign-in': (kind, { random, known, wallets, kinds, fresh }) => {
    if (known.sessions.length >= SESSIONS_MAX) return undefined
    const isAdmin = kinds.some((each) => ADMIN_KINDS.includes(each)) && random.float() < ADMINS
    // Mostly further sessions of a few wallets.
    const other = random.float() < FIRST_WALLET ? 0 : random.int(0, wallets - 1)
    return { do: kind, wallet: isAdmin ? ADMINISTRATOR : other, as: fresh('s') }
  },
  read: (kind, { random, credential }) =>
    withLabel(credential(), (by) => ({ do: kind, by, path: random.pick(READ_PATHS) })),
  refresh: (kind, { random, session }) =>
    withLabel(session(), (label) => ({
      do: kind,
      session: label,
      cookie: random.float() < 0.2 ? random.pick(['former', 'first'] as const) : 'current',
    })),
  'log-out': (kind, { session, csrf }) =>
    withLabel(session(), (label) => ({ do: kind, session: label, csrf: csrf() })),
  'log-out-all': (kind, { session, csrf }) =>
    withLabel(session(), (label) => ({ do: kind, session: label, csrf: csrf() })),
  'revoke-session': (kind, { session, csrf }) =>
    withLabel(session(), (label) => ({ do: kind, session: label, of: session() ?? label, csrf: csrf() })),
  'list-sessions': (kind, { session }) => withLabel(session(), (label) => ({ do: kind, session: label })),
  'list-tokens': (kind, { session }) => withLabel(session(), (label) => ({ do: kind, session: label })),
  'create-token': (kind, { known, session, fresh, csrf }) =>
    known.tokens.length < TOKENS_MAX
      ? withLabel(session(), (label) => ({ do: kind, session: label, as: fresh('t'), csrf: csrf() }))
      : undefined,
  'revoke-token': (kind, { session, token, csrf }) =>
    withLabel(session(), (label) =>
      withLabel(token(), (which) => ({ do: kind, session: label, token: which, csrf: csrf() })),
    ),
  ticket: (kind, { credential, fresh }) =>
    withLabel(credential(), (by) => ({ do: kind, by, as: fresh('k') })),
  redeem: (kind, { known, ticket, fresh }) =>
    known.sockets.length < SOCKETS_MAX
      ? withLabel(ticket(), (label) => ({ do: kind, ticket: label, as: fresh('c') }))
      : undefined,
  connect: (kind, { known, credential, fresh }) =>
    known.sockets.length < SOCKETS_MAX
      ? withLabel(credential(), (by) => ({ do: kind, by, as: fresh('c') }))
      : undefined,
  renew: (kind, { random, known, socket }) =>
    withLabel(socket(), (label) => {
      const opened = findSocket(known, label)
      const all = [...known.sessions, ...known.tokens]
      const isOther = random.float() < OTHER_PRINCIPAL
      const same = opened && findCredential(known, opened)
      if (same && !isOther && random.float() < SAME_CREDENTIAL)
        return { do: kind, socket: label, by: same.label }
      const own = all.filter((each) => (each.wallet === opened?.wallet) !== isOther && !each.isOver)
      return own.length > 0 ? { do: kind, socket: label, by: random.pick(own).label } : undefined
    }),
  subscribe: (kind, { random, known, socket, rooms }) =>
    withLabel(socket(), (label) => {
      const { rooms: joined = [], left = [] } = findSocket(known, label) ?? {}
      const isForeign = random.float() < FOREIGN
      return { do: kind, socket: label, rooms: isForeign ? [FOREIGN_ROOM] : rooms([...left], [...joined]) }
    }),
  unsubscribe: (kind, { known, socket, rooms }) =>
    withLabel(socket(), (label) => {
      const joined = findSocket(known, label)?.rooms
      return joined && joined.size > 0 ? { do: kind, socket: label, rooms: rooms([...joined]) } : undefined
    }),
  synchronize: (kind, { socket }) => withLabel(socket(), (label) => ({ do: kind, socket: label })),
  hear: (kind, { socket }) => withLabel(socket(), (label) => ({ do: kind, socket: label })),
  close: (kind, { socket }) => withLabel(socket(), (label) => ({ do: kind, socket: label })),
  wait: (kind, { random, kinds }) => {
    const isOf = (other: CommandKind) => kinds.includes(other) && random.float() < 0.7
    if (isOf('walk') || isOf('page')) return { do: kind, for: 'market' }
    return { do: kind, for: random.pick(isOf('claim') ? FAUCET_WAITS : CREDENTIAL_WAITS) }
  },
  page: drawPage,
  walk: (kind, { random, credential, place }) => {
    const list = random.pick(['/explore/pools', '/pools', '/pools', '/swaps'] as const)
    const size = random.pick(WALK_SIZES)
    if (list !== '/swaps') {
      const isUneven = random.float() < UNEVEN
      return { do: kind, list, size, ...(isUneven && { otherSize: random.pick(WALK_SIZES) }) }
    }
    const pool = random.float() < 0.5 ? { pool: place() } : {}
    return withLabel(credential(), (by) => ({ do: kind, list, by, size, ...pool }))
  },
  'read-pool': (kind, { place }) => ({ do: kind, pool: place() }),
  'list-registry': (kind) => ({ do: kind }),
  route: (kind, { random, credential, place }) => {
    const amount = random.pick(['unit', 'unit', 'unit', 'unit', ...AMOUNTS] as const)
    const by = random.float() < NO_CREDENTIAL ? undefined : credential()
    const to = random.float() < NO_ROUTE ? UNPOOLED : place()
    return { do: kind, ...(by !== undefined && { by }), from: place(), to, amount }
  },
  'read-state': (kind, { random, credential }) =>
    withLabel(credential(), (by) => ({ do: kind, by, minimum: random.pick(MINIMA) })),
  claim: (kind, { random, session, token }) =>
    withLabel((random.float() < 0.7 ? token() : undefined) ?? session(), (by) => ({
      do: kind,
      by,
      wallet: random.int(0, WALLETS_MAX - 1),
    })),
  'redeem-code': (kind, { random, either }) =>
    withLabel(either(), (by) => ({ do: kind, by, for: random.pick(['redemption', 'attribution']) })),
  'read-codes': (kind, { either }) => withLabel(either(), (by) => ({ do: kind, by })),
  mint: (kind, { random, either }) =>
    withLabel(either(), (by) => ({
      do: kind,
      by,
      amount: random.pick(['unit', 'unit', ...MINT_AMOUNTS] as const),
    })),
  ask: (_kind, { random, session, token }) => drawAsk(random, { session: session(), token: token() }),
  forge: (_kind, { random, wallets }) => drawForge(random, wallets),
}

function withLabel<Drawn>(
  label: string | undefined,
  make: (label: string) => Drawn | undefined,
): Drawn | undefined {
  return label === undefined ? undefined : make(label)
}

function findSocket({ sockets }: Knowledge, label: string) {
  return sockets.find((each) => each.label === label)
}

const WALK_SIZES = [2, 7, 11, 20, 50]
/** Share of walks whose pages have two sizes. */
const UNEVEN = 0.4
const NO_CREDENTIAL = 0.08
/** Share of routes to a token without a pool. */
const NO_ROUTE = 0.2
const BAD = 0.3
/** Share of pages of the same list as the last one. */
const SAME_LIST = 0.5

/** Invalid values of parameters of /explore/pools. */
const BAD_VALUES: readonly Partial<CommandOf<'page'>>[] = [
  ...['0', '101', '1000', 'many', '1.5', '-10'].map((limit) => ({ limit })),
  ...['start', '1.5'].map((offset) => ({ offset })),
  { window: 'never' },
  { order: 'sideways' },
]
/** The profile states which of these are invalid. */
const SPELLINGS = ['+5', '1e2', '-1', ' 7', '00', '0x10', '1.0', '\u0663']
const SWAP_LIMITS = ['0', '-1', '-10', '101', '1000']
const FAR = ['5000', '3000000000']

function drawPage(kind: 'page', { random, known, credential, place }: Draw): CommandOf<'page'> | undefined {
  const { page: before } = known.previous
  const other = random.pick(['/explore/pools', '/explore/pools', '/pools', '/swaps'] as const)
  const list = before?.do === 'page' && random.float() < SAME_LIST ? before.list : other
  const isBad = random.float() < BAD
  const limit = random.pick([undefined, '1', '2', '7', '50', '100'])
  const offset = random.pick([undefined, '0', '3', '3', '10'])
  const sized = {
    do: kind,
    list,
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  }
  if (list === '/pools') return isBad ? { ...sized, offset: random.pick(FAR) } : sized
  if (list === '/swaps') {
    const by = random.float() < NO_CREDENTIAL ? undefined : credential()
    return {
      ...sized,
      ...(by !== undefined && { by }),
      ...(isBad && { limit: random.pick(SWAP_LIMITS) }),
      ...(random.float() < 0.5 && { pool: place() }),
    }
  }
  if (random.float() < 0.3) return { do: kind, list, search: { for: random.pick(SEARCHES), place: place() } }
  const full = {
    ...sized,
    ...(random.float() < 0.3 && { window: random.pick(['1h', '1d', '1w', '1m']) }),
    ...(random.float() < 0.5 && { order: random.pick(['asc', 'desc']), isSorted: true }),
  }
  if (!isBad) return full
  if (random.float() < 0.75) return { ...full, ...random.pick(BAD_VALUES) }
  return { ...full, [random.pick(['limit', 'offset'])]: random.pick(SPELLINGS) }
}
