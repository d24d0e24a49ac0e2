import type { Choices } from '../../../contract/profile.ts'
import { socketObserver } from '../feed/events.ts'
import { type Doubles, watchSocket } from '../feed/watch-frames.ts'
import { isTokenPrefix } from '../identity/token-text.ts'
import { pick, pickText } from '../pick.ts'
import { redactor } from '../redact.ts'
import { isDeleted, type Reply, replyObserver } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'
import type { Judge } from '../verdict/judge.ts'
import { findOpenInexact } from './open-reads.ts'
import { createRecordWatch } from './record-problems.ts'

/**
 * Checks every reply that starts or refreshes a session, so that a cookie or field that is wrong only the
 * second time, or only after the access session has expired, is found.
 */
type Problem = { rule: string; problem: string }

const HTTP_ONLY: Readonly<Record<string, string>> = {
  '/auth/verify': 'auth.cookies.http-only',
  '/auth/refresh': 'auth.refresh.http-only',
}

/**
 * Returns the problems of a verify or refresh reply by rule. Replies that set neither cookie are left to
 * their own probes. Another reply may set a cookie of the request again.
 */
export function findSessionProblems(
  { method, path, credential, body }: Pick<RequestSpec, 'method' | 'path' | 'credential' | 'body'>,
  reply: Pick<Reply, 'status' | 'json' | 'cookies'>,
  { cookies, verify }: Pick<Choices, 'cookies' | 'verify'>,
): Problem[] {
  const rule = HTTP_ONLY[path]
  const names = [cookies.access, cookies.refresh]
  if (rule === undefined)
    return reply.cookies
      .filter(({ name, value }) => names.includes(name) && isSent(credential, name, value))
      .filter((cookie) => !cookie.httpOnly && !isDeleted(cookie))
      .map(({ name }) => ({ rule: 'auth.cookies.http-only', problem: `${name} is readable by scripts` }))
  if (method !== 'POST' || reply.status < 200 || reply.status > 299) return []
  const set = reply.cookies.filter(({ name, value }) => names.includes(name) && value !== '')
  const problems = set
    .filter(({ httpOnly }) => !httpOnly)
    .map(({ name }) => ({ rule, problem: `${name} is readable by scripts` }))
  const copies = reply.cookies.filter(
    ({ name, value, httpOnly }) =>
      !httpOnly && !names.includes(name) && set.some((one) => isCopy(value, one.value)),
  )
  for (const { name } of copies)
    problems.push({ rule, problem: `${name} has the value of a session cookie, and is readable by scripts` })
  if (path === '/auth/verify' && set.length > 0)
    for (const [name, at] of Object.entries(verify))
      if (at !== null && (pick(reply.json, at) ?? null) === null)
        problems.push({
          rule: 'auth.verify.body',
          problem: `${name} (choices.verify.${name}: ${at}) is missing`,
        })
  if (
    path === '/auth/verify' &&
    set.length > 0 &&
    isOther(pickText(body, 'address'), pickText(reply.json, verify.address))
  )
    problems.push({ rule: 'auth.verify.body', problem: 'the address is not that of the request' })
  const isKept = set.some(({ name, value }) => name === cookies.refresh && isSent(credential, name, value))
  if (path === '/auth/refresh' && isKept)
    problems.push({ rule: 'auth.refresh.rotates', problem: 'the refresh cookie did not change' })
  return problems
}

/** Shorter values, such as `1`, are in others by chance. */
const SECRET_LENGTH_MIN = 12

function isCopy(value: string, secret: string): boolean {
  return secret.length >= SECRET_LENGTH_MIN && value.includes(secret)
}

/** In whatever case: of an address in another form nothing can be said. */
function isOther(requested: string | undefined, served: string | undefined): boolean {
  return requested !== undefined && served !== undefined && requested.toLowerCase() !== served.toLowerCase()
}

function isSent(credential: RequestSpec['credential'], name: string, value: string): boolean {
  if (credential === undefined || !('cookie' in credential)) return false
  return credential.cookie.split('; ').includes(`${name}=${value}`)
}

const recordWatch = createRecordWatch()

/** Fails a rule that another probe decides. */
export const noteProblem = recordWatch.note

/** Chains onto the existing onlooker, and observes all sockets. */
export function watchRecords(): void {
  const { check } = replyObserver
  const findLateSignIn = createSignInWatch()
  replyObserver.check = (target, spec, reply) => {
    check?.(target, spec, reply)
    recordWatch.check(spec, reply, target.profile.choices)
    for (const { rule, problem } of findSessionProblems(spec, reply, target.profile.choices))
      recordWatch.note(rule, `${spec.method} ${spec.path}: ${problem}`, () => reply.evidence())
    for (const problem of findOpenInexact(spec, reply, target.profile.choices)) {
      const seen = `${spec.method} ${spec.route ?? spec.path}: ${problem}`
      recordWatch.note('wire.open-reads.exact', seen, () => reply.evidence())
    }
    for (const problem of findTokenRecordProblems(spec, reply))
      recordWatch.note('api-token.create.record', problem, () => reply.evidence())
    const late = findLateSignIn(spec, reply)
    if (late !== undefined) recordWatch.note('auth.verify.signs-in', late, () => reply.evidence())
    const expiry = findTokenExpiryProblem(spec, reply)
    if (expiry !== undefined) recordWatch.note('api-token.life.expires', expiry, () => reply.evidence())
  }
  replyObserver.neverParsed = recordWatch.neverParsed
  const doubles: Doubles = new Map()
  socketObserver.opened = (target) => {
    const socket = watchSocket(target.profile.choices, { doubles })
    return {
      sent: socket.sent,
      came(message) {
        for (const { rule, problem } of socket.came(message)) {
          const evidence = () => redactor.redactBody(message.text, EVIDENCE_LENGTH)
          recordWatch.note(rule, `${message.type}: ${problem}`, evidence)
        }
      },
    }
  }
}

const EVIDENCE_LENGTH = 400

const SHOWN_MAX = 5

/** Builds the probes that report wrong records. */
export function buildRecordProbes() {
  return [...recordWatch.takeFound()].map(([rule, found]) => {
    const problems = [...new Set(found.map(({ problem }) => problem))].slice(0, SHOWN_MAX).join('; ')
    const evidence = found.slice(0, SHOWN_MAX).map((one) => one.evidence)
    return {
      rules: [rule],
      world: 'main' as const,
      run: async (_target: unknown, judge: Judge) => judge.fail(rule, problems, evidence),
    }
  })
}

/** Finds a new API token with another name than requested, or with a prefix that its secret does not have. */
export function findTokenRecordProblems(
  { method, path, body }: Pick<RequestSpec, 'method' | 'path' | 'body'>,
  reply: { status: number; json: unknown },
): string[] {
  if (method !== 'POST' || path !== '/api-tokens' || reply.status < 200 || reply.status > 299) return []
  const [name, token, prefix] = ['name', 'token', 'token_prefix'].map((field) =>
    pickText(reply.json, `data.${field}`),
  )
  const given = pick(body, 'name')
  const requested = typeof given === 'string' ? given : undefined
  return [
    ...(requested !== undefined && name !== undefined && !isSameName(requested, name)
      ? ['the name is not that of the request']
      : []),
    ...(token !== undefined && prefix !== undefined && !isTokenPrefix(token, prefix)
      ? ['token_prefix is not a prefix of the token']
      : []),
  ]
}

/**
 * A server may shorten a name, add to it, or replace characters that are neither letters nor digits. Only ASCII is compared: k6 does
 * not support `\p{L}`.
 */
function isSameName(requested: string, served: string): boolean {
  const [one, other] = [requested, served].map((text) => text.toLowerCase().replace(/[^a-z0-9]+/g, ''))
  if (one === undefined || other === undefined) return true
  return other.includes(one) || (other !== '' && one.startsWith(other))
}

const DAY_MS = 24 * 60 * 60 * 1000
/** A time with a zone (RFC 3339, or as PostgreSQL prints it). Others can be read in several ways. */
const TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/

/**
 * Compares the expiry of a new API token with its creation, on the clock of the target. Finds a lifetime that is longer than
 * requested, or shorter than one day: days may count to their end, so up to one more is right.
 */
export function findTokenExpiryProblem(
  { method, path, body }: Pick<RequestSpec, 'method' | 'path' | 'body'>,
  reply: { status: number; json: unknown },
): string | undefined {
  const days = pick(body, 'expires_in_days')
  if (method !== 'POST' || path !== '/api-tokens' || reply.status < 200 || reply.status > 299)
    return undefined
  if (typeof days !== 'number' || !Number.isInteger(days) || days < 1) return undefined
  const [created, expires] = ['created_at', 'expires_at'].map((name) =>
    parseTime(pickText(reply.json, `data.${name}`)),
  )
  if (created === undefined || expires === undefined) return undefined
  const livesDays = (expires - created) / DAY_MS
  // The longest lifetime is open, and a target may clamp to it.
  const isShort = days === 1 && livesDays <= 1 - TOLERANCE
  if (!isShort && livesDays < days + 1 + TOLERANCE) return undefined
  return `expires after ${livesDays.toFixed(2)} days, requested ${days}`
}

const TOLERANCE = 0.1

function parseTime(text: string | undefined): number | undefined {
  const [, day, time, hours = '+00', minutes = '00'] = TIME.exec(text ?? '') ?? []
  const atMs = Date.parse(`${day}T${time}${hours}:${minutes}`)
  return Number.isNaN(atMs) ? undefined : atMs
}

const REJECTIONS = [400, 401, 422]
/** A restart may lose a challenge once. */
const TIMES_MIN = 2

/**
 * Finds signatures that verify accepts after it has rejected the same ones, with no other challenge in between. If the challenge of
 * another client has replaced theirs, they stay rejected. Describes the second such sign-in and later ones.
 */
export function createSignInWatch() {
  /** Rejected signatures by address. */
  const rejected = new Map<string, string>()
  let times = 0
  return (
    { method, path, body }: Pick<RequestSpec, 'method' | 'path' | 'body'>,
    { status }: Pick<Reply, 'status'>,
  ): string | undefined => {
    const [address, signature] = [pickText(body, 'address'), pickText(body, 'signature')]
    if (method !== 'POST' || address === undefined) return undefined
    if (path === '/auth/challenge') rejected.delete(address)
    if (path !== '/auth/verify' || signature === undefined) return undefined
    if (REJECTIONS.includes(status)) rejected.set(address, signature)
    if (status < 200 || status > 299 || rejected.get(address) !== signature) return undefined
    rejected.delete(address)
    return ++times < TIMES_MIN ? undefined : 'a signature is accepted that was rejected before'
  }
}
