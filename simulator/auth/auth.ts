/**
 * Sign-in for the stub exchange: wallets, challenges, sessions, API tokens and tickets, on the virtual clock and with secrets
 * from one seeded stream, so that a run replays. Independent of HTTP.
 */
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { LifetimeContext, PermissionContext } from '../faults/hooks.ts'
import type { Random, RandomStream } from '../random.ts'
import { STATED_LIMITS, type StubLimits } from '../stub-options.ts'
import type { Saves } from '../undo-log.ts'
import { type ApiTokenInfo, type ApiTokens, createApiTokens } from './api-tokens.ts'
import { type Attempt, type Challenges, createChallenges, isSignedByWallet } from './challenges.ts'
import { createExpiringMap, type ExpiringEntries } from './expiring-map.ts'
import { createReferrals, type Redemption, type Referrals } from './referrals.ts'
import { createToken, digest } from './secret.ts'
import { createSessions, type Sessions } from './sessions.ts'
import type { DemoWallet } from './wallets.ts'

export type Credential = { kind: 'session' | 'api-token'; id: string; address: string }

export type Auth = Saves<SavedAuth> & {
  challenges: Challenges
  sessions: Sessions
  apiTokens: ApiTokens
  referrals: Omit<Referrals, 'redeem' | 'issue'>
  /** Redeems a referral code; the wallet gets access and a code of its own to pass on. */
  redeemCode(request: { address: string; code: string }): Redemption
  hasAccess(address: string): boolean
  acceptTerms(address: string): void
  hasAcceptedTerms(address: string): boolean
  isAdmin(address: string): boolean
  issueTicket(credential: Credential): { ticket: string; expiresAtMs: number }
  /**
   * Returns the principal of a known, unused, unexpired ticket whose session or API token is still valid; undefined otherwise
   * (also for session and API tokens). The principal is the wallet, whichever of its credentials requested the ticket. Uses up
   * the ticket if tickets are single-use. A ticket that `isKnown` rejects counts as unknown this time.
   */
  redeemTicket(ticket: string, isKnown?: (issued: IssuedTicket) => boolean): RedeemedTicket | undefined
  /** Issues a token that does not expire; returns its secret. */
  issueApiToken(options: { address: string; name: string }): string
}

export type IssuedTicket = { address: string; issuedAtMs: number }

export type RedeemedTicket = {
  address: string
  principal: string
  /** The session or API token that it was issued to, if known. */
  credentialId?: string
  issuedAtMs: number
  expiresAtMs: number
}

type SavedAuth = {
  challenges: ReturnType<Challenges['save']>
  sessions: ReturnType<Sessions['save']>
  apiTokens: ReturnType<ApiTokens['save']>
  tickets: ReturnType<Tickets<Credential>['save']>
  referrals: ReturnType<Referrals['save']>
  withAccess: Set<string>
  termsAcceptedMs: Map<string, number>
}

/** Referral codes issued by the exchange itself. */
const SPARE_CODES = 8

export function createAuth(options: {
  clock: Clock
  random: Random
  wallets: readonly DemoWallet[]
  choices: Choices
  limits?: StubLimits
  /** Default: checks the wallet's signature. */
  isSigned?: ((attempt: Attempt) => boolean) | undefined
  /** Active faults; none by default. */
  faults?: { readonly hooks: Pick<Faults['hooks'], 'lifetime' | 'permission'> }
}): Auth {
  const { clock, wallets, choices, limits = STATED_LIMITS, isSigned = isSignedByWallet, faults } = options
  const stream = options.random.stream('auth')
  const shorterLifeMs = (what: LifetimeContext['what'], address: string): number | undefined => {
    const context = { what, address: choices.wire.address.encode(address) }
    const lives = faults?.hooks.lifetime?.map((hook) => hook(context)?.livesMs ?? Number.POSITIVE_INFINITY)
    return lives && Math.min(...lives)
  }
  const hasLost = (what: PermissionContext['what'], address: string, sinceMs: number | null): boolean => {
    const context = { what, address: choices.wire.address.encode(address), sinceMs }
    return faults?.hooks.permission?.some((hook) => hook(context) === 'lost') ?? false
  }
  const challenges = createChallenges({ clock, stream, wallets, choices, isSigned })
  const sessions = createSessions({
    clock,
    stream,
    choices,
    limits,
    shorterLifeMs: (address) => shorterLifeMs('access-session', address),
  })
  const issued = createApiTokens({ clock, stream, choices })
  const notLost = (token: ApiTokenInfo | undefined) =>
    token && hasLost('api-token', token.address, token.createdAtMs) ? undefined : token
  const apiTokens: ApiTokens = {
    ...issued,
    bySecret: (secret) => notLost(issued.bySecret(secret)),
    byId: (id) => notLost(issued.byId(id)),
  }
  const tickets = createTickets<Credential>({ clock, stream, choices, limits })
  const referrals = createReferrals({ clock, stream: options.random.stream('referrals') })
  let withAccess = new Set(wallets.filter((wallet) => wallet.hasAccess).map((wallet) => wallet.address))

  let termsAcceptedMs = new Map<string, number>()
  const admins = new Set(wallets.filter((wallet) => wallet.admin).map((wallet) => wallet.address))
  for (const address of withAccess) referrals.issue(address)
  for (let count = 0; count < SPARE_CODES; count++) referrals.issue(null)

  const isLive = ({ kind, id }: Credential) =>
    (kind === 'session' ? sessions.byId(id) : apiTokens.byId(id)) !== undefined

  const auth: Auth = {
    challenges,
    sessions,
    apiTokens,
    referrals,
    redeemCode(request) {
      const outcome = referrals.redeem(request)
      if (outcome !== 'done') return outcome
      withAccess.add(request.address)
      if (referrals.findCode(request.address) === undefined) referrals.issue(request.address)
      return outcome
    },
    hasAccess: (address) => withAccess.has(address) && !hasLost('access', address, null),
    acceptTerms: (address) => void termsAcceptedMs.set(address, clock.nowMs()),
    hasAcceptedTerms(address) {
      const sinceMs = termsAcceptedMs.get(address)
      return sinceMs !== undefined && !hasLost('terms', address, sinceMs)
    },
    isAdmin: (address) => admins.has(address),
    issueTicket: (credential) =>
      tickets.issue(
        credential,
        choices.wire.address.encode(credential.address),
        shorterLifeMs('ticket', credential.address),
      ),
    redeemTicket(ticket, isKnown = () => true) {
      const redeemed = tickets.redeem(ticket, ({ holder: { address }, issuedAtMs }) =>
        isKnown({ address, issuedAtMs }),
      )
      if (!redeemed || !isLive(redeemed.holder)) return undefined
      const { holder, issuedAtMs, expiresAtMs } = redeemed
      const { address, id: credentialId } = holder
      return { address, principal: address, credentialId, issuedAtMs, expiresAtMs }
    },
    issueApiToken({ address, name }) {
      const created = apiTokens.create({ address, name, expiresInDays: null })
      if (!created) throw new RangeError(`${address} has the maximum number of API tokens already`)
      // A wallet with a token must have signed in once.
      auth.acceptTerms(address)
      return created.secret
    },
    save: () => ({
      challenges: challenges.save(),
      sessions: sessions.save(),
      apiTokens: apiTokens.save(),
      tickets: tickets.save(),
      referrals: referrals.save(),
      withAccess,
      termsAcceptedMs,
    }),
    restore(saved) {
      challenges.restore(saved.challenges)
      sessions.restore(saved.sessions)
      apiTokens.restore(saved.apiTokens)
      tickets.restore(saved.tickets)
      referrals.restore(saved.referrals)
      withAccess = saved.withAccess
      termsAcceptedMs = saved.termsAcceptedMs
    },
  }
  return auth
}

export type Tickets<Holder> = Saves<OpenTickets<Holder>> & {
  /** A shorter life is not visible in `expiresAtMs`. `subject` goes into the ticket if it is a JWT. */
  issue(holder: Holder, subject: string, shorterLifeMs?: number): { ticket: string; expiresAtMs: number }
  /**
   * Returns the ticket's entry and uses it up if tickets are single-use. undefined: unknown, used, expired, or rejected by
   * `isKnown`, which leaves the ticket unchanged.
   */
  redeem(ticket: string, isKnown?: (entry: Entry<Holder>) => boolean): Entry<Holder> | undefined
}

type Entry<Holder> = { holder: Holder; issuedAtMs: number; expiresAtMs: number }
type OpenTickets<Holder> = ExpiringEntries<Entry<Holder>>

function createTickets<Holder>(options: {
  clock: Clock
  stream: RandomStream
  choices: Pick<Choices, 'ticketUse' | 'tokenForm'>
  limits: Pick<StubLimits, 'ticketSeconds'>
}): Tickets<Holder> {
  const { clock, stream, choices } = options
  const lifetimeMs = options.limits.ticketSeconds * 1000
  const open = createExpiringMap<Entry<Holder>>({ clock, lifetimeMs })

  return {
    issue(holder, subject, shorterLifeMs = lifetimeMs) {
      const issuedAtMs = clock.nowMs()
      const expiresAtMs = issuedAtMs + Math.min(shorterLifeMs, lifetimeMs)
      const claims = { use: 'ws-ticket', subject, issuedAtMs, expiresAtMs: issuedAtMs + lifetimeMs } as const
      const ticket = createToken(stream, choices.tokenForm, claims)
      return {
        ticket,
        expiresAtMs: open.add(digest(ticket), { holder, issuedAtMs, expiresAtMs }, shorterLifeMs),
      }
    },
    redeem(ticket, isKnown = () => true) {
      const key = digest(ticket)
      const entry = open.get(key)
      if (!entry || !isKnown(entry)) return undefined
      return choices.ticketUse === 'once' ? open.take(key) : entry
    },
    save: open.save,
    restore: open.restore,
  }
}
