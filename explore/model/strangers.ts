/**
 * Requests that must be rejected: without a credential, with one that was never issued, with one that the endpoint does not
 * take, and sign-ins whose signature is wrong (Authentication 4, 7, 8 and 12).
 */
import type { CommandOf } from '../sequence.ts'
import { describeStatus, isSuccess, isTransient } from './credentials.ts'
import { loosen } from './sessions.ts'
import { type Done, type Explained, put, type State } from './state.ts'

/** `altered`: a real one with another character there. `access-alone`: the access cookie without the refresh cookie. */
export const STRANGERS = {
  nothing: 'no credential',
  'made-up-token': 'an API token that was never issued',
  'made-up-session': 'a session that was never issued',
  'altered-start': 'a credential with another first character',
  'altered-middle': 'a credential with another middle character',
  'altered-end': 'a credential with another last character',
  'access-alone': 'the access cookie alone',
  token: 'an API token',
  session: 'a session of a wallet that is no administrator',
  'no-csrf': 'a session without the CSRF token',
} as const
export type Stranger = keyof typeof STRANGERS
export const STRANGER_NAMES = Object.keys(STRANGERS) as [Stranger, ...Stranger[]] // as: its own keys

const ALTERED = ['altered-start', 'altered-middle', 'altered-end'] as const
const INVALID = ['made-up-token', 'made-up-session', ...ALTERED] as const

/** The rule for each credential that an endpoint must reject. */
type Rejected = Partial<Record<Stranger, string>>

const rejects = (strangers: readonly Stranger[], rule: string): Rejected =>
  Object.fromEntries(strangers.map((stranger) => [stranger, rule]))
const invalid = rejects(INVALID, 'auth.credentials.invalid-401')
const data: Rejected = { nothing: 'auth.credentials.missing-401', ...invalid }
const portfolio: Rejected = { nothing: 'auth.credentials.portfolio-401', ...invalid }

export const ENDPOINTS = {
  'GET /swaps': data,
  'GET /unclaimed': data,
  'GET /fee-tiers': data,
  'GET /schema/trading': data,
  'GET /access/status': data,
  'GET /referral/status': data,
  'GET positions': portfolio,
  'GET balances': portfolio,
  'GET /auth/ws-ticket': { nothing: 'ws.ticket.needs-credentials', ...invalid },
  'GET /auth/sessions': {
    nothing: 'auth.credentials.session-401',
    token: 'auth.sessions.session-only',
  },
  'POST /auth/sessions/{session_id}/revoke': { token: 'auth.sessions.session-only' },
  'POST /auth/logout': { token: 'auth.sessions.session-only' },
  'POST /auth/logout-all': { token: 'auth.sessions.session-only' },
  'GET /api-tokens': {
    nothing: 'auth.credentials.session-401',
    token: 'api-token.management.session-only',
  },
  'POST /api-tokens': {
    token: 'api-token.management.session-only',
    'no-csrf': 'api-token.create.needs-csrf',
  },
  'DELETE /api-tokens/{id}': { token: 'api-token.management.session-only' },
  'POST /auth/refresh': rejects(
    ['nothing', 'made-up-session', ...ALTERED, 'access-alone'],
    'auth.refresh.needs-cookie',
  ),
  'GET /referral/codes': {
    nothing: 'auth.credentials.admin-401',
    token: 'admin.codes.session-only',
    session: 'admin.codes.refused-to-others',
  },
  'POST redeem': { token: 'referral.redeem.session-only' },
  'POST attribution': { token: 'referral.attribution.session-only' },
} as const satisfies Record<string, Rejected>
export type Endpoint = keyof typeof ENDPOINTS
export const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as [Endpoint, ...Endpoint[]] // as: its own keys

export function listRejected(endpoint: Endpoint): readonly (readonly [Stranger, string])[] {
  return Object.entries(ENDPOINTS[endpoint]) as [Stranger, string][] // as: its own keys
}

/** These rules name the status; the others state only that the request is rejected. */
const MUST_BE_401 = /-401$|^ws\.ticket\.needs-credentials$/

export function explainAsk(state: State, done: Done<CommandOf<'ask'>>): Explained {
  const { command, outcome } = done
  const rule = listRejected(command.for).find(([stranger]) => stranger === command.with)?.[1]
  if (rule === undefined || isTransient(outcome)) return [mayEnd(state, command)]
  const { status, isInside } = outcome
  // A 404 may mean that the endpoint does not exist.
  const isOther = MUST_BE_401.test(rule) && status >= 400 && status !== 401 && status !== 404
  if (!isSuccess(outcome) && !isInside && !isOther) return [mayEnd(state, command)]
  return {
    rule,
    expected: `${MUST_BE_401.test(rule) ? 'a 401' : 'a 4xx'}, because the request has ${STRANGERS[command.with]}`,
    observed: `${describeStatus(outcome)}${isInside ? ', and cookies of a session' : ''}`,
  }
}

/** A target may take an altered refresh token for theft, and end the session. */
function mayEnd(state: State, { by, for: endpoint }: CommandOf<'ask'>): State {
  const session = by === undefined ? undefined : state.sessions[by]
  if (by === undefined || !session || endpoint !== 'POST /auth/refresh') return state
  const loose = { ...state, sockets: loosen(state, (each) => each === by) }
  return put(loose, 'sessions', by, { ...session, status: 'unsure' })
}

/** The fault of a sign-in: the rule, and what is signed instead of the message. */
export const FORGERIES = {
  'other-key': { rule: 'auth.verify.rejects-forged', text: 'by another key', change: (text: string) => text },
  altered: {
    rule: 'auth.verify.rejects-altered',
    text: 'over the message with a word appended',
    change: (text: string) => `${text}altered`,
  },
  trimmed: {
    rule: 'auth.verify.rejects-rebuilt',
    text: 'over the message without its outer white space',
    change: (text: string) => text.trim(),
  },
  'line-ends': {
    rule: 'auth.verify.rejects-rebuilt',
    text: 'over the message with other line ends',
    change: (text: string) => text.replaceAll('\r\n', '\n'),
  },
  normalized: {
    rule: 'auth.verify.rejects-rebuilt',
    text: 'over the message in another Unicode form',
    change: (text: string) => text.normalize('NFC'),
  },
  collapsed: {
    rule: 'auth.verify.rejects-rebuilt',
    text: 'over the message with its white space collapsed',
    change: (text: string) => text.replace(/\s+/g, ' '),
  },
  'no-access': {
    rule: 'auth.access.denied-403',
    text: 'of a wallet without access',
    change: (text: string) => text,
  },
} as const
export type Forgery = keyof typeof FORGERIES
export const FORGERY_NAMES = Object.keys(FORGERIES) as [Forgery, ...Forgery[]] // as: its own keys

export function explainForge(state: State, { command, outcome }: Done<CommandOf<'forge'>>): Explained {
  const { rule, text } = FORGERIES[command.how]
  const isOpen = command.how === 'no-access'
  if (isTransient(outcome) || (!isSuccess(outcome) && !outcome.isInside)) return [state]
  return {
    rule,
    expected: `${isOpen ? 'a 403' : 'a 4xx and no session'}, because it is a signature ${text}`,
    observed: `${describeStatus(outcome)}${outcome.isInside && !isOpen ? ', and cookies of a session' : ''}`,
  }
}
