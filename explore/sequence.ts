/**
 * The terms: a sequence is a list of turns, and a turn is a list of commands that are sent at once. Commands name what earlier
 * ones created by labels, so removing a command never changes what the others mean.
 */
import { z } from 'zod'
import { ENDPOINT_NAMES, FORGERIES, FORGERY_NAMES, STRANGER_NAMES, STRANGERS } from './model/strangers.ts'

export const WALLETS_MAX = 4
export const TURN_MAX = 16
export const COMMANDS_MAX = 200

const wallet = z
  .int()
  .min(0)
  .max(WALLETS_MAX - 1)
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

/** What a wait is for. The clock of the stub jumps; another target is given the time. */
export const WAITS = ['grace', 'ticket', 'access'] as const

export const commandSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('sign-in'), wallet, as: label }),
  z.strictObject({ do: z.literal('read'), by: label, path: z.enum(READ_PATHS) }),
  z.strictObject({ do: z.literal('refresh'), session: label, cookie: z.enum(['current', 'former']) }),
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
      return `${command.as}: sign in wallet ${command.wallet + 1}`
    case 'read':
      return `${command.by}: read ${command.path}`
    case 'refresh':
      return `${command.session}: refresh${command.cookie === 'former' ? ' with the former cookie' : ''}`
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
    default:
      return `${'socket' in command ? command.socket : command.session}: ${words}`
  }
}

const WAIT_TEXTS = {
  grace: 'the grace time of replaced refresh tokens is over',
  ticket: 'tickets have expired',
  access: 'access sessions have expired',
}

function csrfNote(sent: 'right' | 'wrong' | 'missing'): string {
  return sent === 'right' ? '' : ` (${sent} CSRF token)`
}

function listRooms(rooms: readonly number[]): string {
  return rooms.length > 4 ? `${rooms.length} rooms` : `room ${rooms.join(', ')}`
}
