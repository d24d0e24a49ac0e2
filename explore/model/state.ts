/** The state of the model: what a client knows of its sessions, API tokens, tickets and sockets. Plain data, never mutated. */
import type { Choices } from '../../contract/profile.ts'
import type { Command } from '../sequence.ts'

/** How a session ended: the rules about it differ. `reuse`: a replaced refresh token was used after its grace time. */
export type EndKind = 'log-out' | 'log-out-all' | 'revoke-session' | 'reuse'

/** Each response that sets cookies starts a generation. */
/** `replacedMs`: when it had been replaced at the latest; `replacedFromMs`: at the earliest. */
export type Generation = { grantedMs: number; replacedMs: number | null; replacedFromMs: number | null }

export type SessionState = {
  wallet: number
  /** `unsure`: a lost response, so nothing is asserted. */
  status: 'active' | 'ended' | 'unsure'
  endedBy: EndKind | null
  /** The place of the ending command's return in the order of calls and returns. */
  endedAt: number
  /** Generation of the valid refresh token. */
  current: number
  /** By their numbers, which may leave some out: a response may come before that of an earlier grant. */
  generations: readonly (Generation | undefined)[]
  /** The last end of another session of the wallet, which must have spared this one. */
  spared: EndKind | null
}

export type TokenState = {
  wallet: number
  status: 'active' | 'revoked' | 'unsure'
  endedAt: number
  /** True if another wallet has tried to revoke it, which must have spared it. */
  isSpared?: true
}

/** A ticket was issued between the call and the return of its request. */
export type TicketTimes = { afterMs: number; beforeMs: number }

export type TicketState = { wallet: number; by: string; issued: TicketTimes; isUsed: boolean }

export type SocketState = {
  wallet: number
  /** The credentials of its tickets. */
  by: readonly string[]
  ticket: TicketTimes
  status: 'open' | 'closed' | 'unsure'
  rooms: readonly number[]
  left: readonly number[]
  isRenewed: boolean
  /** True if it was sent a ticket of another wallet. */
  isUsurped: boolean
}

/** Claims from the faucet for an address. */
export type ClaimState = { acceptedMs: number | null }

export type State = {
  sessions: Readonly<Record<string, SessionState>>
  tokens: Readonly<Record<string, TokenState>>
  tickets: Readonly<Record<string, TicketState>>
  sockets: Readonly<Record<string, SocketState>>
  /** By place of the wallet. */
  claims: Readonly<Record<string, ClaimState>>
}

export const EMPTY: State = { sessions: {}, tokens: {}, tickets: {}, sockets: {}, claims: {} }

/** A command that was sent, and its outcome. */
export type Done<C extends Command = Command> = {
  command: C
  /** Places in the order of all calls and returns. */
  callAt: number
  returnAt: number
  /** On the target's clock. */
  callMs: number
  returnMs: number
  /** True if it was alone in its turn. */
  isAlone: boolean
  outcome: Outcome
}

export type Outcome = {
  /** Status of the response; 0: none. */
  status: number
  /** True if several attempts got a 5xx although the target serves other requests. */
  isPersistent?: boolean
  /** Generation of the cookies that were sent. */
  used?: number
  /** Generation that the response's cookies belong to: a known one if they are the same. */
  granted?: number
  /** True if an access cookie came with them. */
  hasAccess?: boolean
  /** Ids in a list, as labels; ids of no label are left out. */
  listed?: readonly string[]
  /** True if a rejection set cookies of a session that works. */
  isInside?: boolean
  isSynchronized?: boolean
  /** The place of its first frame among the frames of its socket, which take effect in this order. */
  frame?: number
  /** Frames and pings of the socket within the last minute. */
  recentlySent?: number
  closeCode?: number
  /** For each room of which the witness or the socket got events: how many. */
  heard?: Readonly<Record<number, { witness: number; socket: number }>>
  /** The response's body, if the model looks at it. */
  body?: unknown
  /** True if earlier sequences have created API tokens for the wallet, which may count. */
  mayBeFull?: boolean
  /** The wait that Retry-After states. */
  retryAfterMs?: number
  /** The pools and tokens that places in the command stand for. */
  subject?: Subject
  walk?: Walk
  /** Status of a request that must also be served; 0: no response. */
  witnessStatus?: number
  /** How long no claim was tried for the address; null: unknown. */
  quietMs?: number
}

export type Subject = {
  /** A pool with its known fields. */
  pool?: {
    key: string
    token0: string
    token1: string
    fee: string | undefined
    isEnabled: boolean
    from: string
  }
  /** A token whose pools a search should find. */
  token?: string
  /** Number of pools that exist. */
  total?: number
  /** Pools between the tokens of a route; Infinity without a way; null: unknown. */
  distance?: number | null
  /** A minimum revision. */
  minimum?: number
}

/** A list, read before, during and after a walk through its pages. */
export type Walk = {
  before: readonly unknown[]
  rows: readonly unknown[]
  after: readonly unknown[]
  /** Each page's total, if it has one. */
  totals: readonly number[]
  /** True if the walk came to an end: an empty page, or one without a new row. */
  isWhole: boolean
  /** Rows of the page at the last offset, if it was read. */
  last?: number
}

/** A response that the specification does not allow. `rule` is a server rule's id. */
export type Violation = { rule: string; expected: string; observed: string }

/** The states that may follow; a violation if no state can. */
export type Explained = readonly State[] | Violation

export function isViolation(explained: Explained): explained is Violation {
  return !Array.isArray(explained)
}

export type Profiled = {
  /** Null: unknown. */
  graceMs: number | null
  /** Null: unknown. */
  tokensMax: number | null
  choices: Choices
}

/** Returns the state with one entry of an area replaced. Keys are sorted: equal states have the same JSON. */
export function put<Area extends keyof State>(
  state: State,
  area: Area,
  label: string,
  entry: State[Area][string],
): State {
  const entries = Object.entries({ ...state[area], [label]: entry })
  return { ...state, [area]: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) }
}

export function mapEntries<Entry>(
  entries: Readonly<Record<string, Entry>>,
  change: (entry: Entry, label: string) => Entry,
): Record<string, Entry> {
  return Object.fromEntries(Object.entries(entries).map(([label, entry]) => [label, change(entry, label)]))
}
