/**
 * The parts of an exchange that an exploration needs: its addresses and choices, wallets, requests, sockets and time; and the commands
 * that a profile does not support.
 */
import type { Profile, Wallet } from '../contract/profile.ts'
import { COMMAND_KINDS, type CommandKind } from './sequence.ts'

export type Reply = {
  /** 0: no complete response. */
  status: number
  body: unknown
  /** Cookies that the response sets, by name; an empty value deletes one. */
  cookies: Readonly<Record<string, string>>
  /** The wait that Retry-After states; undefined without a valid one. */
  retryAfterMs?: number | undefined
  /** The response as it came; absent if the target does not show it. */
  raw?: RawReply
}

export type RawReply = {
  /** Names in lower case. Without Set-Cookie. */
  headers: Readonly<Record<string, string>>
  text: string
  /** Names of the set cookies that have HttpOnly. */
  httpOnly: readonly string[]
}

export type ExploreRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  /** May carry a query. */
  path: string
  body?: object
  headers?: Readonly<Record<string, string>>
  /** A 429 may be about this request alone, so it is returned without a wait. */
  isLimited?: boolean
}

/** Called in order, with the `text` of each frame, and with the code of the close (1006 without a close frame). */
export type SocketEvents = { received(text: string): void; closed(code: number): void; pong(): void }
export type ExploreSocket = { send(text: string): void; ping(): void; close(): void }

export type ExploreTarget = {
  profile: Profile
  /** Signs in if a sequence needs an administrator; undefined: no such wallet is known. */
  administrator?: Wallet | undefined
  /** Without access; empty if no such wallet can sign. */
  outsiders?: readonly Wallet[]
  /** Sends a request, and repeats it after the wait that a 429 requires, within limits. Never throws. */
  request(request: ExploreRequest): Promise<Reply>
  sign(wallet: Wallet, message: string): Promise<string>
  /** Resolves to null if the handshake fails. */
  openSocket(events: SocketEvents): Promise<ExploreSocket | null>
  /** The clock of the target, in ms: ages of tickets and sessions are measured on it. */
  nowMs(): number
  /** True: `nowMs` is the clock of this machine, from which the target's may differ. */
  isClockLocal?: boolean
  /** Lets this much time pass for the target. */
  pass(ms: number): Promise<void>
  /** Lets something happen in the market: a block, or some time. */
  stir(): Promise<void>
  /** False: never waits until an access session expires. */
  isSlowAllowed: boolean
  /** How long a socket waits for `synchronized` or a pong. The specification sets no time. */
  responseMs: number
  /** Counts real time; absent if time passes by jumps of a clock. */
  waits?: Waits
  interrupted: AbortSignal
}

/** A reason for which an exploration waits. */
export type WaitFor = 'swaps' | 'expiry and retries' | 'the rate limit' | 'sockets'

export type Waits = {
  during<Result>(reason: WaitFor, work: Promise<Result>): Promise<Result>
  /** The seconds of each reason so far, longest first: `60 s for swaps, 12 s for sockets`. Empty before the first second. */
  text(): string
}

export function createWaits(nowMs: () => number): Waits {
  const reasons = new Map<WaitFor, { totalMs: number; current: number; sinceMs: number }>()
  return {
    async during(reason, work) {
      const wait = reasons.get(reason) ?? { totalMs: 0, current: 0, sinceMs: 0 }
      reasons.set(reason, wait)
      // Waits at the same time count once.
      if (wait.current++ === 0) wait.sinceMs = nowMs()
      try {
        return await work
      } finally {
        if (--wait.current === 0) wait.totalMs += nowMs() - wait.sinceMs
      }
    },
    text: () =>
      [...reasons]
        .map(([reason, { totalMs, current, sinceMs }]) => ({
          reason,
          seconds: Math.floor((totalMs + (current > 0 ? nowMs() - sinceMs : 0)) / 1000),
        }))
        .filter(({ seconds }) => seconds > 0)
        .sort((one, other) => other.seconds - one.seconds)
        .map(({ reason, seconds }) => `${seconds} s for ${reason}`)
        .join(', '),
  }
}

const SOCKETS: readonly CommandKind[] = [
  'ticket',
  'redeem',
  'connect',
  'renew',
  'subscribe',
  'unsubscribe',
  'synchronize',
  'hear',
  'close',
]
const CHANGES: readonly CommandKind[] = [
  'refresh',
  'log-out',
  'log-out-all',
  'revoke-session',
  'create-token',
  'revoke-token',
  'mint',
]

const ADMIN: readonly CommandKind[] = ['read-codes', 'mint']

/** The reason for each command that needs a choice or a wallet that the profile does not provide. */
export function listUnavailable({
  profile: { choices },
  administrator,
}: Pick<ExploreTarget, 'profile' | 'administrator'>): ReadonlyMap<CommandKind, string> {
  const { cookies, verify, sessions, apiTokens, wsTicket, events, refresh, faucet, referral, protocolState } =
    choices
  const missing: [string, unknown, readonly CommandKind[]][] = [
    ['cookies.refresh', cookies.refresh, COMMAND_KINDS],
    ['cookies.access', cookies.access, COMMAND_KINDS],
    ['verify.csrfToken', verify.csrfToken, CHANGES],
    ['verify.csrfToken', faucet.access === 'public' || verify.csrfToken, ['claim']],
    ['sessions.list', sessions.list, ['list-sessions', 'revoke-session']],
    ['sessions.id', sessions.id, ['list-sessions', 'revoke-session']],
    ['sessions.current', sessions.current, ['list-sessions', 'revoke-session']],
    ['apiTokens.list', apiTokens.list, ['list-tokens']],
    ['apiTokens.id', apiTokens.id, ['list-tokens']],
    ['wsTicket.ticket', wsTicket.ticket, SOCKETS],
    ['events.pool', events.pool, ['hear']],
    ['refresh.graceSeconds', refresh.graceSeconds, ['wait']],
    ['faucet.path', faucet.path, ['claim']],
    ['faucet.address', faucet.address, ['claim']],
    ['referral.redeemPath', referral.redeemPath, ['redeem-code']],
    ['referral.code', referral.code, ['redeem-code']],
    ['protocolState.revision', protocolState.revision, ['read-state']],
  ]
  const reasons = new Map<CommandKind, string>()
  for (const [field, value, kinds] of missing)
    if (value === null)
      for (const kind of kinds)
        if (!reasons.has(kind)) reasons.set(kind, `the profile does not set choices.${field}`)
  if (administrator === undefined)
    for (const kind of ADMIN) reasons.set(kind, 'the profile has no wallet of an administrator that can sign')
  return reasons
}
