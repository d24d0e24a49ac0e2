import type { FastifyReply } from 'fastify'
import type { Grant } from '../auth/sessions.ts'
import { CHOICES } from '../choices.ts'
import type { Clock } from '../clock.ts'
import type { MutantName } from '../mutants.ts'

/** Max-Age, never Expires: the virtual clock may stand far from the one of the client's cookie jar. */
export function setSessionCookies(
  reply: FastifyReply,
  options: { grant: Grant; clock: Clock; mutant: MutantName | null },
): void {
  const { grant, clock, mutant } = options
  const attributes = { ...ATTRIBUTES, httpOnly: mutant !== 'auth-cookies-readable' }
  const accessSeconds = Math.floor((grant.accessExpiresAtMs - clock.nowMs()) / 1000)
  reply.setCookie(CHOICES.cookies.access, grant.accessToken, { ...attributes, maxAge: accessSeconds })
  reply.setCookie(CHOICES.cookies.refresh, grant.refreshToken, {
    ...attributes,
    maxAge: CHOICES.refresh.lifetimeSeconds,
  })
}

/** Only where the session of the request itself has ended: a late answer must not sign out a newer one. */
export function clearSessionCookies(reply: FastifyReply): void {
  reply.setCookie(CHOICES.cookies.access, '', { ...ATTRIBUTES, httpOnly: true, maxAge: 0 })
  reply.setCookie(CHOICES.cookies.refresh, '', { ...ATTRIBUTES, httpOnly: true, maxAge: 0 })
}

const ATTRIBUTES = { path: CHOICES.cookies.path, sameSite: CHOICES.cookies.sameSite } as const
