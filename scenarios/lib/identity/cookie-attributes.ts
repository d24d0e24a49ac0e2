import { LIMITS } from '../../../contract/limits.ts'
import type { Profile } from '../../../contract/profile.ts'
import type { Cookie, Reply } from '../requests/reply.ts'

const SESSION_SECONDS = LIMITS.accessSessionSeconds
const SLACK_SECONDS = 60

const REFRESH = '/auth/refresh'
/** Endpoints that read the access cookie. */
const PROTECTED = [
  ...['/swaps', '/unclaimed', '/fee-tiers', '/schema/trading', '/access/status', '/referral/status'],
  ...['/auth/ws-ticket', '/auth/sessions', '/auth/logout', '/api-tokens'],
]
/** A `Path` that matches none of these may belong to the address of a proxy, such as `/api`. */
const KNOWN = [...PROTECTED, REFRESH, '/auth/challenge', '/auth/verify']

const KINDS = [
  { kind: 'access', paths: PROTECTED, secondsMin: SESSION_SECONDS - SLACK_SECONDS },
  // A refresh token still works once the access session has expired.
  { kind: 'refresh', paths: [REFRESH], secondsMin: SESSION_SECONDS + 1 },
] as const

type Target = { baseUrl: string; choices: Pick<Profile['choices'], 'cookies'> }

/**
 * Explains why a browser would not send a session cookie that was set: its `Path` does not match an endpoint that needs it, or
 * its `Max-Age` or `Expires` ends too early. Undefined if it sends both, or that is unclear. A missing attribute is no error.
 */
export function explainUnsentCookie(
  { baseUrl, choices }: Target,
  { cookies, headers }: Pick<Reply, 'cookies' | 'headers'>,
): string | undefined {
  const clocksMs = [Date.parse(headers.date ?? ''), Date.now()]
  for (const { kind, paths, secondsMin } of KINDS) {
    const set = cookies.filter(({ name, value }) => name === choices.cookies[kind] && value !== '')
    if (set.length === 0) continue
    const isSent = (path: string) => set.some((cookie) => matchesPath(readBasePath(baseUrl) + path, cookie))
    const unsent = paths.find((path) => !isSent(path))
    if (unsent !== undefined && KNOWN.some(isSent))
      return `the ${kind} cookie has Path=${set.map(({ path }) => path).join(' and ')}, so it is not sent to ${unsent}`
    const seconds = set.map((cookie) => readSecondsLeft(cookie, clocksMs))
    if (seconds.every((left) => left < secondsMin))
      return `the ${kind} cookie expires in ${seconds.map(Math.round).join(' and ')} seconds, less than ${secondsMin}`
  }
  return undefined
}

/** By the clock that leaves more: either may be wrong. `Max-Age` has precedence (RFC 6265, section 5.3). */
function readSecondsLeft({ maxAge, expiresMs }: Cookie, clocksMs: readonly number[]): number {
  if (maxAge !== undefined) return maxAge
  const left = clocksMs.map((nowMs) => ((expiresMs ?? Number.NaN) - nowMs) / 1000)
  return left.some(Number.isNaN) ? Number.POSITIVE_INFINITY : Math.max(...left)
}

/** RFC 6265, section 5.1.4. Browsers ignore a path that does not start with a slash. */
function matchesPath(requested: string, { path = '' }: Cookie): boolean {
  if (!path.startsWith('/') || requested === path) return true
  return requested.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** Without a trailing slash. k6 has no `URL`. */
function readBasePath(baseUrl: string): string {
  return baseUrl.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/$/, '')
}

/**
 * Names are open, so the profile may be wrong about a session cookie that no response sets while others do: explains that.
 * Undefined if it names each, or if no other cookie could be the one.
 */
export function explainMisnamedCookies(
  { cookies: { access, refresh } }: Target['choices'],
  cookies: readonly Pick<Cookie, 'name'>[],
): string | undefined {
  const set = [...new Set(cookies.map(({ name }) => name))]
  const unset = [access, refresh].filter((name) => name !== null && !set.includes(name))
  const others = set.filter((name) => name !== access && name !== refresh)
  if (unset.length === 0 || others.length === 0) return undefined
  return `sign-in set no cookie ${unset.join(' or ')} (choices.cookies), but ${set.join(', ')}`
}
