/** Tells the observer of each request as it arrives, once it is known who asks, and of its answer once that has gone out. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Activity } from '../../activity-journal.ts'
import type { Auth } from '../../auth/auth.ts'
import { digest } from '../../auth/secret.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import { nameOf } from '../../observer/client.ts'
import type { AskedRequest } from '../../observer/observer.ts'
import type { Observing } from '../../observer/observing.ts'
import { retryAfterMs } from '../../observer/retry-after.ts'
import { uncanonicalNumbers } from '../../observer/uncanonical.ts'
import { segmentsOf } from '../../observer/url-parts.ts'
import { secretInUrl } from './secret-in-url.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where an observer looks on; null for preflights of browsers. */
    observed: { asked: AskedRequest; entry: number; status: number; isEmptyPage: boolean } | null
  }
}

type Options = { observing: Observing; auth: Auth; clock: Clock; choices: Choices }

/** Registers the hooks that tell the observer; nothing is held up by them. */
export function observeRequests(app: FastifyInstance, { observing, auth, clock, choices }: Options): void {
  const { observer, otherSpelling } = observing
  const { wire, profile } = choices
  app.decorateRequest('observed', null)

  app.addHook('onRequest', (request, _reply, done) => {
    const { method, credential, headers, is404, routeOptions } = request
    if (method === 'OPTIONS') return done()
    const known = typeof credential === 'string' ? null : credential
    const asked = observer.asked({
      method,
      route: is404 ? null : (routeOptions.url ?? null),
      url: request.url,
      arrivedMs: clock.nowMs(),
      remoteAddress: request.ip,
      userAgent: headers['user-agent'] ?? '',
      wallet: known && wire.address.encode(known.address),
      credential: known?.kind ?? (credential === 'invalid' ? 'invalid' : 'none'),
      credentialId: known?.id ?? null,
      hasCsrfToken: headers['x-csrf-token'] !== undefined,
      isPublic: is404 || routeOptions.config.access === 'public',
    })
    request.observed = { asked, entry: 0, status: 0, isEmptyPage: false }
    done()
  })

  // Of an answer that is cut off or never goes out the client knows nothing.
  app.addHook('onResponse', (request, reply, done) => {
    const { observed, failure, url, headers } = request
    if (!observed) return done()
    const { asked, entry, isEmptyPage } = observed
    // An injected fault may have put another answer in its place.
    const isOwn = observed.status === reply.statusCode
    const code = isOwn ? (failure?.code ?? null) : null
    observer.answered(asked, {
      answeredMs: clock.nowMs(),
      status: reply.statusCode,
      code,
      retryAfterMs: waitOf(reply),
      entry,
      isEmptyPage,
      refusedDigest: code === 'credentials_invalid' ? refusedDigest(request, profile.cookies.access) : null,
      secretInUrl: secretInUrl(url, { auth, csrfToken: headers['x-csrf-token'] }),
      respelledKey: code === 'pool_not_found' ? otherSpelling(segmentsOf(pathBefore(url))[2] ?? '') : null,
      uncanonical: code === 'invalid_request' ? uncanonicalNumbers({ url, body: request.body }) : [],
      alteredMessage:
        code === 'signature_invalid' ? auth.challenges.alteration(request.body as Signed) : null, // as: it was validated
    })
    done()
  })
}

type Signed = { address: string; signature: string }

/** For the journal: what the observer’s evidence needs beside what the log tells. */
export function observedActivity(request: FastifyRequest, reply: FastifyReply, activity: Activity): Activity {
  const { observed } = request
  if (!observed || activity.kind !== 'request') return activity
  const { credential, client } = observed.asked
  const waitMs = waitOf(reply)
  return {
    ...activity,
    client: nameOf(client),
    ...(credential !== 'none' && { credential }),
    ...(waitMs !== null && { retryAfterMs: waitMs }),
  }
}

/** Keeps what is known as the answer is made. */
export function noteAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  told: { entry: number; payload: unknown },
) {
  const { observed } = request
  if (!observed) return
  observed.entry = told.entry
  observed.status = reply.statusCode
  observed.isEmptyPage =
    observed.asked.route === '/pools' && typeof told.payload === 'string' && EMPTY_PAGE.test(told.payload)
}

/** At the very beginning, or behind the fields that every body has. */
const EMPTY_PAGE = /^.{0,200}"data":\[\]/s

function waitOf(reply: FastifyReply): number | null {
  return retryAfterMs({ retryAfter: reply.getHeader('retry-after'), date: reply.getHeader('date') })
}

function refusedDigest({ headers, cookies }: FastifyRequest, cookie: string): string {
  return digest(headers.authorization ?? cookies[cookie] ?? '')
}

function pathBefore(url: string): string {
  return url.split('?')[0] ?? ''
}
