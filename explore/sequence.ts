/**
 * The terms: a sequence is a list of turns, and a turn is a list of commands that are sent at the same time. Commands name what earlier
 * ones created by labels, so removing a command never changes what the others mean.
 */
import { z } from 'zod'
import { ENDPOINT_NAMES, FORGERIES, FORGERY_NAMES, STRANGER_NAMES, STRANGERS } from './model/strangers.ts'

export const WALLETS_MAX = 4
export const TURN_MAX = 16
const COMMANDS_MAX = 250
/** A sequence draws at most this many of each. */
export const SESSIONS_MAX = 10
export const TOKENS_MAX = 16
export const SOCKETS_MAX = 6

/** Rooms that the witness shares, and its balance room, which no socket of a sequence may join. */
export const SHARED_ROOMS = 31
export const FOREIGN_ROOM = 31

/** The place of the administrator, after the wallets of a sequence. */
export const ADMINISTRATOR = 4

const wallet = z.int().min(0).max(ADMINISTRATOR)
/** Place of a pool or a token in the catalog, modulo its length. */
const place = z.int().min(0).max(63)
const parameter = z.string().max(20).optional()
const label = z.string().regex(/^[a-z][0-9]{1,4}$/, 'not a label, such as s1')
const csrf = z.enum(['right', 'wrong', 'missing']).default('right')

/** Reads that need a credential and have a specified body. */
export const READ_PATHS = [
  '/access/status',
  '/swaps?limit=1',
  '/swaps?limit=20',
  '/unclaimed',
  '/fee-tiers',
  '/schema/trading',
  '/referral/status',
] as const

/** Reasons to wait. The clock of the stub jumps; another target is given the time. */
const WAITS = ['market', 'grace', 'ticket-half', 'ticket', 'access', 'faucet-early', 'faucet'] as const

/** The place of a token without a pool, if there is one. */
export const UNPOOLED = 1

const LISTS = ['/explore/pools', '/pools', '/swaps'] as const
/** Subjects of a search: the key of a pool, or a text of a token. */
export const SEARCHES = ['key', 'symbol', 'name', 'address'] as const
/** Amounts of a mint: one, and other spellings of it. */
export const MINT_AMOUNTS = ['unit', 'plus', 'zero', 'exponent', 'comma', 'space', 'spaces'] as const
/** Amounts of a route: also a very large one, and one with a fraction, which base units do not have. */
export const AMOUNTS = [...MINT_AMOUNTS, 'large', 'fraction'] as const
/** A minimum revision, compared with the highest that was seen. */
export const MINIMA = ['none', 'older', 'current', 'next'] as const

export const commandSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('sign-in'), wallet, as: label }),
  z.strictObject({ do: z.literal('read'), by: label, path: z.enum(READ_PATHS) }),
  z.strictObject({
    do: z.literal('refresh'),
    session: label,
    cookie: z.enum(['current', 'former', 'first']),
  }),
  z.strictObject({ do: z.literal('log-out'), session: label, csrf }),
  z.strictObject({ do: z.literal('log-out-all'), session: label, csrf }),
  z.strictObject({ do: z.literal('revoke-session'), session: label, of: label, csrf }),
  z.strictObject({ do: z.literal('list-sessions'), session: label }),
  z.strictObject({ do: z.literal('create-token'), session: label, as: label, csrf }),
  z.strictObject({ do: z.literal('revoke-token'), session: label, token: label, csrf }),
  z.strictObject({ do: z.literal('list-tokens'), session: label }),
  z.strictObject({ do: z.literal('ticket'), by: label, as: label }),
  z.strictObject({ do: z.literal('redeem'), ticket: label, as: label }),
  z.strictObject({ do: z.literal('connect'), by: label, as: label }),
  z.strictObject({ do: z.literal('renew'), socket: label, by: label }),
  z.strictObject({
    do: z.literal('subscribe'),
    socket: label,
    rooms: z.array(z.int().min(0).max(63)).min(1).max(40),
  }),
  z.strictObject({
    do: z.literal('unsubscribe'),
    socket: label,
    rooms: z.array(z.int().min(0).max(63)).min(1).max(40),
  }),
  z.strictObject({ do: z.literal('synchronize'), socket: label }),
  z.strictObject({ do: z.literal('hear'), socket: label }),
  z.strictObject({ do: z.literal('close'), socket: label }),
  z.strictObject({ do: z.literal('wait'), for: z.enum(WAITS) }),
  z.strictObject({
    do: z.literal('page'),
    list: z.enum(LISTS),
    by: label.optional(),
    limit: parameter,
    offset: parameter,
    window: parameter,
    order: parameter,
    isSorted: z.boolean().optional(),
    search: z.strictObject({ for: z.enum(SEARCHES), place }).optional(),
    pool: place.optional(),
  }),
  z.strictObject({
    do: z.literal('walk'),
    list: z.enum(LISTS),
    by: label.optional(),
    size: z.int().min(1).max(100),
    /** The size of every second page (default: the same). */
    otherSize: z.int().min(1).max(100).optional(),
    pool: place.optional(),
  }),
  z.strictObject({ do: z.literal('read-pool'), pool: place }),
  z.strictObject({ do: z.literal('list-registry') }),
  z.strictObject({
    do: z.literal('route'),
    by: label.optional(),
    from: place,
    to: place,
    amount: z.enum(AMOUNTS),
  }),
  z.strictObject({ do: z.literal('read-state'), by: label, minimum: z.enum(MINIMA) }),
  z.strictObject({ do: z.literal('claim'), by: label, wallet }),
  z.strictObject({ do: z.literal('redeem-code'), by: label, for: z.enum(['redemption', 'attribution']) }),
  z.strictObject({ do: z.literal('read-codes'), by: label }),
  z.strictObject({ do: z.literal('mint'), by: label, amount: z.enum(MINT_AMOUNTS).default('unit') }),
  z.strictObject({
    do: z.literal('ask'),
    with: z.enum(STRANGER_NAMES),
    /** Whose credential it is, or is altered. */
    by: label.optional(),
    for: z.enum(ENDPOINT_NAMES),
  }),
  z.strictObject({ do: z.literal('forge'), wallet, how: z.enum(FORGERY_NAMES) }),
])

export type Command = z.infer<typeof commandSchema>
export type CommandKind = Command['do']
export type CommandOf<Kind extends CommandKind> = Extract<Command, { do: Kind }>
export const COMMAND_KINDS = commandSchema.options.map((option) => option.shape.do.value)

export const sequenceSchema = z.array(z.array(commandSchema).min(1).max(TURN_MAX)).max(COMMANDS_MAX)

export type Turn = readonly Command[]
export type Sequence = readonly Turn[]

export function countCommands(sequence: Sequence): number {
  return sequence.reduce((sum, turn) => sum + turn.length, 0)
}

/** The labels that a command uses, not the one that it creates. */
export function usedLabels(command: Command): string[] {
  return ['by', 'session', 'of', 'token', 'ticket', 'socket'].flatMap((field) => {
    const value = (command as Record<string, unknown>)[field]
    return typeof value === 'string' ? [value] : []
  })
}

export function createdLabel(command: Command): string | undefined {
  return 'as' in command ? command.as : undefined
}

/** Removes commands whose labels nothing creates any more; removing one may remove others. */
export function withoutOrphans(sequence: Sequence): Sequence {
  const known = new Set<string>()
  return sequence.flatMap((turn) => {
    const kept = turn.filter((command) => usedLabels(command).every((used) => known.has(used)))
    for (const command of kept) {
      const created = createdLabel(command)
      if (created !== undefined) known.add(created)
    }
    return kept.length > 0 ? [kept] : []
  })
}

/** One line, such as `s1: log out (no CSRF token)`. */
export function describeCommand(command: Command): string {
  const { do: kind } = command
  const words = kind.replaceAll('-', ' ')
  switch (kind) {
    case 'sign-in':
      return command.wallet === ADMINISTRATOR
        ? `${command.as}: sign in the administrator`
        : `${command.as}: sign in wallet ${command.wallet + 1}`
    case 'read':
      return `${command.by}: read ${command.path}`
    case 'refresh':
      return `${command.session}: refresh${command.cookie === 'current' ? '' : ` with the ${command.cookie} cookie`}`
    case 'revoke-session':
      return `${command.session}: revoke session ${command.of}${csrfNote(command.csrf)}`
    case 'create-token':
      return `${command.session}: create API token ${command.as}${csrfNote(command.csrf)}`
    case 'revoke-token':
      return `${command.session}: revoke API token ${command.token}${csrfNote(command.csrf)}`
    case 'log-out':
    case 'log-out-all':
      return `${command.session}: ${words}${csrfNote(command.csrf)}`
    case 'ticket':
      return `${command.by}: get ticket ${command.as}`
    case 'redeem':
      return `${command.as}: open a socket with ticket ${command.ticket}`
    case 'connect':
      return `${command.as}: open a socket with a new ticket of ${command.by}`
    case 'renew':
      return `${command.socket}: renew with a new ticket of ${command.by}`
    case 'subscribe':
    case 'unsubscribe':
      return `${command.socket}: ${words} ${listRooms(command.rooms)}`
    case 'hear':
      return `${command.socket}: compare its events with a witness`
    case 'ask':
      return `${command.by ?? 'no one'}: request ${command.for} with ${STRANGERS[command.with]}`
    case 'forge':
      return `sign in wallet ${command.wallet + 1} with a signature ${FORGERIES[command.how].text}`
    case 'wait':
      return `wait until ${WAIT_TEXTS[command.for]}`
    case 'page':
    case 'walk':
      return `${byWhom(command.by)}${words} ${command.list}${listParameters(command)}`
    case 'read-pool':
      return `read pool ${command.pool + 1} by its key`
    case 'list-registry':
      return 'list tokens'
    case 'route':
      return `${byWhom(command.by)}route from token ${command.from + 1} to ${command.to + 1}, amount ${command.amount}`
    case 'read-state':
      return `${command.by}: read the protocol state, minimum revision ${command.minimum}`
    case 'claim':
      return `${command.by}: claim from the faucet for wallet ${command.wallet + 1}`
    case 'redeem-code':
      return `${command.by}: send a made-up referral code (${command.for})`
    case 'read-codes':
      return `${command.by}: ${words}`
    case 'mint':
      return `${command.by}: mint, amount ${command.amount}`
    default:
      return `${'socket' in command ? command.socket : command.session}: ${words}`
  }
}

const WAIT_TEXTS = {
  market: 'there are new swaps',
  grace: 'the grace time of replaced refresh tokens is over',
  'ticket-half': 'tickets are 40 s older',
  ticket: 'tickets have expired',
  access: 'access sessions have expired',
  'faucet-early': 'the next claim is one minute away',
  faucet: 'the faucet accepts the next claim',
}

function byWhom(by: string | undefined): string {
  return by === undefined ? '' : `${by}: `
}

function listParameters({
  do: _,
  list: _list,
  by: _by,
  ...parameters
}: CommandOf<'page'> | CommandOf<'walk'>): string {
  const { isSorted, search, pool, ...texts } = parameters as Omit<CommandOf<'page'>, 'do' | 'list' | 'by'>
  const all = [
    ...Object.entries(texts).map(([name, value]) => `${name}=${value}`),
    ...(isSorted ? ['sorted'] : []),
    ...(search ? [`search for the ${search.for} ${search.place + 1}`] : []),
    ...(pool === undefined ? [] : [`swaps of pool ${pool + 1}`]),
  ]
  return all.length > 0 ? ` (${all.join(', ')})` : ''
}

function csrfNote(sent: 'right' | 'wrong' | 'missing'): string {
  return sent === 'right' ? '' : ` (${sent} CSRF token)`
}

function listRooms(rooms: readonly number[]): string {
  return rooms.length > 4 ? `${rooms.length} rooms` : `room ${rooms.join(', ')}`
}
