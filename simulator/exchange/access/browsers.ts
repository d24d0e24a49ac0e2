import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Grant } from '../../auth/sessions.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'

/** Sets Max-Age, never Expires: the virtual clock may differ widely from the client's. */
export function setSessionCookies(
  reply: FastifyReply,
  options: { grant: Grant; clock: Clock; choices: Choices },
): void {
  const { grant, clock, choices } = options
  const { access, refresh } = choices.profile.cookies
  const attributes = { ...buildAttributes(choices), httpOnly: true }
  const accessSeconds = Math.floor((grant.accessExpiresAtMs - clock.nowMs()) / 1000)
  reply.setCookie(access, grant.accessToken, { ...attributes, maxAge: accessSeconds })
  reply.setCookie(refresh, grant.refreshToken, {
    ...attributes,
    path: choices.cookies.refreshPath,
    maxAge: choices.refresh.lifetimeSeconds,
  })
  for (const [name, value] of Object.entries(choices.cookies.extra)) {
    reply.setCookie(name, value, buildAttributes(choices))
  }
}

/** Only when the request's own session has ended: a late response must not sign out a newer one. */
export function clearSessionCookies(reply: FastifyReply, choices: Choices): void {
  const { access, refresh } = choices.profile.cookies
  const attributes = { ...buildAttributes(choices), httpOnly: true, maxAge: 0 }
  reply.setCookie(access, '', attributes)
  reply.setCookie(refresh, '', { ...attributes, path: choices.cookies.refreshPath })
}

function buildAttributes({ cookies: { path, sameSite, secure } }: Choices) {
  return { path, sameSite, secure }
}

const ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/
const EXPOSED_HEADERS = ['date', 'retry-after']

/** Allows pages on loopback to call with cookies; no other page may. */
export async function admitPages(app: FastifyInstance): Promise<void> {
  await app.register(cors, {
    origin: ORIGIN,
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'x-csrf-token'],
    exposedHeaders: EXPOSED_HEADERS,
  })
}

/** For responses that bypass all hooks: without these headers a page would see a failed fetch and no status. */
export function showToPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { origin } = request.headers
  reply.header('vary', 'Origin')
  if (origin === undefined || !ORIGIN.test(origin)) return reply
  return reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED_HEADERS.join(', '),
  })
}
