/**
 * Credentials in responses: those that verify, refresh, API tokens and tickets hand out or end (Authentication 4 to 9), and misplaced
 * ones, in addresses or outside the one place that the specification gives them (Authentication 4, 6 and 10).
 */
import { at } from '../../client/exchange.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Choices } from '../../contract/profile.ts'
import { apiTokenCreatedSchema, apiTokenRevokedSchema } from '../../contract/schemas/access.ts'
import { validate } from '../../contract/validate.ts'
import type { ExploreRequest, ExploreTarget } from '../target.ts'
import type { Exchanged, Problem } from './endpoint.ts'

/** Wallets by what they hold, as the requests of a run show them. */
type Owners = Map<string, string>
type Context = Exchanged & {
  choices: Choices
  nowMs: number
  owners: Owners
  asked: ReadonlyMap<string, number>
  /** How far ahead of `nowMs` sessions end, until a time that the application wrote shows its clock. Absent if `nowMs` is that clock. */
  unjudgedMs: number[] | undefined
}
type Check = (context: Context) => Problem[]

export type CredentialCheck = {
  sent(request: ExploreRequest): void
  received(exchanged: Exchanged, nowMs: number): Problem[]
}

export function createCredentialCheck(
  choices: Choices,
  { isClockLocal = false }: Pick<ExploreTarget, 'isClockLocal'> = {},
): CredentialCheck {
  const owners: Owners = new Map()
  /** Revocations of each API token so far. */
  const asked = new Map<string, number>()
  const unjudgedMs = isClockLocal ? [] : undefined
  return {
    sent({ method, path }) {
      if (method === 'DELETE') asked.set(path, (asked.get(path) ?? 0) + 1)
    },
    received(exchanged, nowMs) {
      const { status, body } = exchanged.reply
      if (status < 200 || status > 299) return []
      // A body that does not parse may have been cut in transit.
      if (body === undefined && exchanged.endpoint !== 'POST /auth/refresh') return []
      return CHECKS[exchanged.endpoint]?.({ ...exchanged, choices, nowMs, owners, asked, unjudgedMs }) ?? []
    },
  }
}

const CHECKS: Readonly<Record<string, Check>> = {
  'POST /auth/verify': checkVerify,
  'POST /auth/refresh': checkRefresh,
  'POST /api-tokens': checkCreatedToken,
  'DELETE /api-tokens/{id}': checkRevokedToken,
  'GET /auth/ws-ticket': checkTicket,
}

function checkVerify(context: Context): Problem[] {
  const { reply, request, choices, owners } = context
  const requested = at(request.body, 'address')
  const served = at(reply.body, choices.verify.address)
  const names = listCookieNames(choices)
  for (const name of names) owners.set(reply.cookies[name] ?? '', String(requested))
  const missing = Object.entries(choices.verify).filter(
    ([, path]) => path !== null && (at(reply.body, path) ?? null) === null,
  )
  const unset = names.filter((name) => !reply.cookies[name])
  return [
    ...missing.map(([name]) => ({ rule: 'auth.verify.body', problem: `${name} is missing` })),
    ...(isOther(requested, served)
      ? [{ rule: 'auth.verify.body', problem: 'the address is not that of the request' }]
      : []),
    ...checkExpiry(context),
    ...unset.map((name) => ({ rule: 'auth.cookies.http-only', problem: `the cookie ${name} is not set` })),
    ...listReadable(context, 'auth.cookies.http-only'),
  ]
}

/** Nothing is said about an address in another form. */
function isOther(requested: unknown, served: unknown): boolean {
  if (typeof requested !== 'string' || typeof served !== 'string') return false
  return requested.toLowerCase() !== served.toLowerCase()
}

function checkRefresh(context: Context): Problem[] {
  const { reply, request, choices, owners } = context
  const sent = parseCookies(request.headers?.cookie)
  const owner = [...sent.values()].map((value) => owners.get(value)).find((one) => one !== undefined)
  if (owner !== undefined)
    for (const name of listCookieNames(choices)) owners.set(reply.cookies[name] ?? '', owner)
  return listReadable(context, 'auth.refresh.http-only')
}

function listReadable({ reply, choices }: Context, rule: string): Problem[] {
  const { cookies, raw } = reply
  if (raw === undefined) return []
  return listCookieNames(choices)
    .filter((name) => cookies[name] && !raw.httpOnly.includes(name))
    .map((name) => ({ rule, problem: `scripts can read the cookie ${name}` }))
}

const SLACK_MS = 60_000
/** Further away, the profile has the wrong unit. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** By the Date header, or by the clock of the target: a proxy may replace the header. */
function checkExpiry({ reply, choices, nowMs, unjudgedMs }: Context): Problem[] {
  const atMs = parseExpiry(at(reply.body, choices.verify.accessExpiresAt), choices.expiry)
  if (atMs === undefined || Math.abs(atMs - nowMs) > YEAR_MS) return []
  const clocksMs = [nowMs, Date.parse(reply.raw?.headers.date ?? '')]
  const problems = clocksMs.map((clockMs) => listExpiryProblems(atMs - clockMs))
  const [byTarget = []] = problems
  if (problems.some(({ length }) => length === 0)) return []
  if (unjudgedMs === undefined) return byTarget
  unjudgedMs.push(atMs - nowMs)
  return []
}

function listExpiryProblems(aheadMs: number): Problem[] {
  // Negated: without a Date header it is NaN.
  if (!(Math.abs(aheadMs - LIMITS.accessSessionSeconds * 1000) <= SLACK_MS))
    return [{ rule: 'auth.verify.expiry', problem: `${Math.round(aheadMs / 1000)} seconds ahead` }]
  return []
}

/** A new API token shows the clock of the application. */
function checkExpiriesBefore({ reply, choices, nowMs, unjudgedMs = [] }: Context): Problem[] {
  const created = at(reply.body, 'data.created_at')
  const createdMs = parseExpiry(created, 'rfc3339') ?? parseExpiry(created, choices.expiry)
  if (createdMs === undefined) return []
  return unjudgedMs.splice(0).flatMap((aheadMs) => listExpiryProblems(aheadMs + nowMs - createdMs))
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

export function parseExpiry(value: unknown, format: Choices['expiry']): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  if (format === 'rfc3339') return RFC_3339.test(text) ? Date.parse(text.replace(' ', 'T')) : undefined
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined
  return format === 'epoch-seconds' ? Number(text) * 1000 : Number(text)
}

function checkCreatedToken(context: Context): Problem[] {
  const { reply, request, owners } = context
  const id = at(reply.body, 'data.id')
  for (const value of parseCookies(request.headers?.cookie).values()) {
    const owner = owners.get(value)
    if (owner !== undefined && typeof id === 'string') owners.set(id, owner)
  }
  const { cookie, 'x-csrf-token': csrf } = request.headers ?? {}
  if (cookie !== undefined && csrf === undefined)
    return [{ rule: 'api-token.create.needs-csrf', problem: `${reply.status} without X-CSRF-Token` }]
  const { problems } = validate(apiTokenCreatedSchema, reply.body)
  return [
    ...(problems ?? []).map((problem) => ({ rule: 'api-token.create.record', problem })),
    ...checkExpiriesBefore(context),
  ]
}

function checkRevokedToken({ reply, request, owners, asked }: Context): Problem[] {
  const rule = 'api-token.revoke.record'
  const id = decodeURIComponent(request.path.slice('/api-tokens/'.length))
  const { data, problems } = validate(apiTokenRevokedSchema, reply.body)
  if (problems !== null) return problems.map((problem) => ({ rule, problem }))
  const owner = owners.get(id)
  const isOwn = [...parseCookies(request.headers?.cookie).values()].some(
    (value) => owner !== undefined && owners.get(value) === owner,
  )
  // It is not stated what a second revocation returns, or one by another wallet.
  if (!isOwn || asked.get(request.path) !== 1) return []
  return [
    ...(data.data.revoked ? [] : [{ rule, problem: 'data.revoked is false' }]),
    ...(data.data.id === id ? [] : [{ rule, problem: 'data.id is not the id of the request' }]),
  ]
}

function checkTicket({ reply, request, choices: { wsTicket } }: Context): Problem[] {
  const ticket = at(reply.body, wsTicket.ticket)
  if (wsTicket.ticket === null || (typeof ticket === 'string' && ticket !== '')) return []
  const rule = request.headers?.authorization ? 'api-token.bearer.ticket' : 'ws.ticket.by-session'
  return [{ rule, problem: `no ticket at ${wsTicket.ticket}` }]
}

function listCookieNames({ cookies }: Pick<Choices, 'cookies'>): string[] {
  return [cookies.access, cookies.refresh].filter((name) => name !== null)
}

function parseCookies(header: string | undefined): Map<string, string> {
  return new Map(
    (header ?? '').split('; ').flatMap((pair): [string, string][] => {
      const equals = pair.indexOf('=')
      return equals > 0 ? [[pair.slice(0, equals), pair.slice(equals + 1)]] : []
    }),
  )
}

type Kind = 'a session token' | 'a CSRF token' | 'an API token'
type Known = { kind: Kind; forms: readonly string[] }

/** The CSRF token may be anywhere except in addresses. */
const CONFINED: readonly Kind[] = ['a session token', 'an API token']
/** Shorter values occur by chance. */
const LENGTH_MIN = 12
const ADDRESS_HEADERS: readonly string[] = ['location', 'content-location', 'link', 'refresh']
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi
const PATH = /^\.{0,2}\/\S*$/

export type SecretCheck = (exchanged: Exchanged) => Problem[]

/** Remembers the credentials of a run. The problems do not contain them. */
export function createSecretCheck(choices: Choices): SecretCheck {
  const known = new Map<string, Known>()
  return ({ endpoint, reply }) => {
    const issued = listIssued(endpoint, reply, choices)
    for (const [secret, kind] of issued)
      known.set(secret, { kind, forms: [...new Set([secret, encodeURIComponent(secret)])] })
    const { raw } = reply
    if (raw === undefined) return []
    const headers = Object.entries(raw.headers)
    const all = `${raw.text.replaceAll('\\/', '/')}\n${headers.map(([, value]) => value).join('\n')}`
    return [...known].flatMap(([secret, { kind, forms }]): Problem[] => {
      const isIn = (text: string) => forms.some((form) => text.includes(form))
      if (!isIn(all)) return []
      const header = headers.find(([, value]) => isIn(value))?.[0]
      const isAddress =
        headers.some(([name, value]) => ADDRESS_HEADERS.includes(name) && isIn(value)) ||
        listAddresses(reply.body ?? raw.text).some((address) => isIn(address) && !forms.includes(address))
      const isRight =
        !CONFINED.includes(kind) || (kind === 'an API token' && issued.has(secret) && header === undefined)
      const place = header === undefined ? 'the body' : `the header ${header}`
      return [
        ...(isAddress ? [{ rule: 'auth.secrets.not-in-urls', problem: `${kind} in an address` }] : []),
        ...(isRight ? [] : [{ rule: nameRule(endpoint, kind), problem: `${kind} in ${place}` }]),
      ]
    })
  }
}

function nameRule(endpoint: string, kind: Kind): string {
  const isList = endpoint === 'GET /api-tokens' && kind === 'an API token'
  return isList ? 'api-token.secret.once' : 'auth.secrets.nowhere-else'
}

function listIssued(
  endpoint: string,
  { body, cookies }: Exchanged['reply'],
  choices: Choices,
): Map<string, Kind> {
  const isSession = endpoint === 'POST /auth/verify' || endpoint === 'POST /auth/refresh'
  const all: [unknown, Kind][] = [
    ...listCookieNames(choices).map((name): [unknown, Kind] => [cookies[name], 'a session token']),
    ...(isSession ? [[at(body, choices.verify.csrfToken), 'a CSRF token'] as [unknown, Kind]] : []),
    ...(endpoint === 'POST /api-tokens' ? [[at(body, 'data.token'), 'an API token'] as [unknown, Kind]] : []),
  ]
  return new Map(
    all.filter((each): each is [string, Kind] => typeof each[0] === 'string' && each[0].length >= LENGTH_MIN),
  )
}

/** URLs in text, and strings of a JSON body that are paths. */
function listAddresses(value: unknown): string[] {
  if (typeof value === 'string')
    return [...(PATH.test(value) ? [value] : []), ...(value.match(ADDRESS) ?? [])]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(listAddresses)
}
