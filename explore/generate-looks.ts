/**
 * Draws the end of a sequence, because a state shows only when it is read: everything is read once, sockets are compared, tickets
 * are redeemed, and refreshes show whether a session revives.
 */
import type { Drawing } from './draw.ts'
import { drawStrangers } from './generate-strangers.ts'
import { findCredential, type Knowledge } from './known.ts'
import { type Command, type CommandKind, READ_PATHS, SOCKETS_MAX, type Turn } from './sequence.ts'

/** Shares of sequences. */
const RENEWALS = 0.3
const REVIVALS = 0.5
const OLD_REVIVALS = 0.2
const ENDINGS = 0.35
const EXPIRIES = 0.2
const USURPED = 0.7
const USURPED_RENEWED = 0.6
const FOREIGN_REVOCATIONS = 0.3
/** At most this many of each. */
const TICKETS = { usual: 3, many: SOCKETS_MAX, share: 0.3 }
const OLD_SESSIONS_MAX = 3
const FOREIGN_TOKENS_MAX = 3

export function drawLooks(drawing: Drawing, kinds: readonly CommandKind[]): Turn[] {
  const { random, known } = drawing
  const { sessions, tokens, sockets } = known
  const path = random.pick(READ_PATHS)
  const read = ({ label }: { label: string }): Command => ({ do: 'read', by: label, path })
  const hears = sockets
    .filter(({ isOver }) => !isOver)
    .map(({ label }): Command => ({ do: 'hear', socket: label }))
  const looks = [
    ...[...sessions, ...tokens].map(read),
    ...listLists(known),
    ...hears,
    ...(random.float() < RENEWALS ? [...drawRenewals(drawing), ...hears] : []),
    ...drawRedemptions(drawing),
    ...(random.float() < FOREIGN_REVOCATIONS ? drawForeignRevocations(drawing) : []),
    ...(random.float() < REVIVALS
      ? sessions.flatMap((session) => [refresh(session.label, 'current'), read(session)])
      : []),
    ...(random.float() < OLD_REVIVALS ? drawOldRevivals(drawing) : []),
    ...drawStrangers(random, known),
    ...(random.float() < EXPIRIES ? drawExpiries(drawing) : []),
    ...(random.float() < ENDINGS ? listEndings(known) : []),
  ]
  return looks.filter((command) => kinds.includes(command.do)).map((command) => [command])
}

/** The lists of each wallet with a session. */
function listLists({ sessions }: Knowledge): Command[] {
  const alive = sessions.filter(({ isOver }) => !isOver)
  return [...new Set(alive.map(({ wallet }) => wallet))].flatMap((wallet): Command[] => {
    const session = alive.findLast((each) => each.wallet === wallet)?.label ?? ''
    return [
      { do: 'list-sessions', session },
      { do: 'list-tokens', session },
    ]
  })
}

function drawRenewals({ random, known }: Drawing): Command[] {
  return known.sockets
    .filter(({ isOver }) => !isOver)
    .flatMap((socket): Command[] => {
      const { label, wallet } = socket
      const own = known.sessions.filter((session) => session.wallet === wallet && !session.isOver)
      const by = findCredential(known, socket) ?? (own.length > 0 ? random.pick(own) : undefined)
      return by ? [{ do: 'renew', socket: label, by: by.label }] : []
    })
}

/** Only the owner of an API token may revoke it: other wallets try, and it is read again. */
function drawForeignRevocations({ random, known }: Drawing): Command[] {
  const alive = known.sessions.filter(({ isOver }) => !isOver)
  const tokens = known.tokens.filter(({ isOver }) => !isOver).slice(-FOREIGN_TOKENS_MAX)
  return tokens.flatMap(({ label, wallet }): Command[] => {
    const others = alive.filter((session) => session.wallet !== wallet)
    if (others.length === 0) return []
    const session = random.pick(others).label
    return [
      { do: 'revoke-token', session, token: label, csrf: 'right' },
      { do: 'read', by: label, path: random.pick(READ_PATHS) },
    ]
  })
}

/** Redeems tickets that no command has used. The renewal shows whose socket it is. */
function drawRedemptions({ random, known }: Drawing): Command[] {
  const unused = known.tickets.filter(({ isOver }) => !isOver)
  const wanted = random.float() < TICKETS.share ? TICKETS.many : TICKETS.usual
  const count = Math.min(wanted, SOCKETS_MAX - known.sockets.length, unused.length)
  return Array.from({ length: Math.max(0, count) }, () => {
    const [ticket] = unused.splice(random.int(0, unused.length - 1), 1)
    const label = `c${++known.created}`
    const own = ticket && findCredential(known, ticket)
    return [
      ...(ticket ? [{ do: 'redeem', ticket: ticket.label, as: label } as const] : []),
      ...(own ? [{ do: 'renew', socket: label, by: own.label } as const] : []),
    ]
  }).flat()
}

/** Refreshes with tokens that were replaced before the last grace time. */
function drawOldRevivals({ random, known }: Drawing): Command[] {
  const refreshed = known.sessions.filter(({ isRefreshed }) => isRefreshed).slice(-OLD_SESSIONS_MAX)
  const refreshes = refreshed.map(({ label }) => refresh(label, random.pick(['former', 'first'])))
  return refreshes.length > 0 ? [{ do: 'wait', for: 'grace' }, ...refreshes] : []
}

function listEndings({ sessions }: Knowledge): Command[] {
  const refreshed = sessions.filter(({ isRefreshed, isOver }) => isRefreshed && !isOver)
  return refreshed.slice(-OLD_SESSIONS_MAX).flatMap(({ label }) => endSession(label))
}

/** No cookie of a session that was logged out, such as that of another winner of a race, may bring it back. */
export function endSession(label: string): Command[] {
  return [
    { do: 'log-out', session: label, csrf: 'right' },
    refresh(label, 'former'),
    refresh(label, 'current'),
  ]
}

function refresh(session: string, cookie: 'current' | 'former' | 'first'): Command {
  return { do: 'refresh', session, cookie }
}

/** Sockets must end with their tickets, even if another wallet sends one. */
function drawExpiries(drawing: Drawing): Command[] {
  const { random, known } = drawing
  const alive = known.sockets.filter(({ isOver }) => !isOver)
  if (alive.length === 0) return []
  const looks = alive.map(({ label }): Command => ({ do: 'synchronize', socket: label }))
  if (random.float() >= USURPED) return [{ do: 'wait', for: 'ticket' }, ...looks]
  const usurping = alive.flatMap(({ label, wallet }): Command[] => {
    const others = known.sessions.filter((session) => session.wallet !== wallet && !session.isOver)
    return others.length > 0 ? [{ do: 'renew', socket: label, by: random.pick(others).label }] : []
  })
  const renewals = random.float() < USURPED_RENEWED ? drawRenewals(drawing) : []
  return [...renewals, HALF, ...usurping, HALF, ...looks]
}

const HALF: Command = { do: 'wait', for: 'ticket-half' }
