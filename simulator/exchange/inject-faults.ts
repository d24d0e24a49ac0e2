/**
 * Where injected faults take hold of REST: of a request once it is known who asks, ahead of limits and access levels, and of
 * an answer once it is made. Preflights of browsers are left alone.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import {
  type AnswerDeed,
  type Answered,
  errorPage,
  type Refused,
  type RequestDeed,
  type SeenRequest,
} from '../faults/seams.ts'
import { cutAfter, resetConnection, trickle } from '../http/transports.ts'
import { errorBody, spellRetryAfter } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a route that is older than the one that was found. */
    quotedRevision?: number
  }
}

export type FaultyRest = { readonly seams: Pick<Faults['seams'], 'request' | 'answer'> }

type Options = { choices: Choices; clock: Clock }

/** What nothing comes after: each fault beyond that one is not asked any more. */
type LastOfRequest = Exclude<RequestDeed, { do: 'delay' | 'skew' | 'quote' | 'read' }>
type LastOfAnswer = Extract<AnswerDeed, { do: 'hang' | 'reset' | 'truncate' }>

/** Registers the hooks at which faults act. They act in the clock's time, one deed after another for each request. */
export function injectFaults(
  app: FastifyInstance,
  { faults, ...options }: Options & { faults: FaultyRest },
): void {
  const { choices, clock } = options
  const wait = (ms: number, then: () => void) => {
    if (ms > 0) clock.after(ms, then)
    else then()
  }

  app.addHook('onRequest', (request, reply, done) => {
    const seams = faults.seams.request
    if (seams === null || request.method === 'OPTIONS') return done()
    const seen = seenRequest(request, choices)
    let waitMs = 0
    let last: LastOfRequest | undefined
    for (const seam of seams) {
      const deed = seam(seen)
      if (deed?.do === 'delay') waitMs += deed.ms
      else if (deed?.do === 'skew') request.skewMs = (request.skewMs ?? 0) + deed.ms
      else if (deed?.do === 'quote') request.quotedRevision = deed.revision
      else if (deed?.do === 'read') request.views = deed.views
      else if (deed) last = deed
      if (last) break
    }
    wait(waitMs, () => {
      if (!last) done()
      else if (last.do === 'reset') resetConnection(request)
      else if (last.do !== 'hang') reply.send(answerForFault(last, reply, options))
    })
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const seams = faults.seams.answer
    if (seams === null || request.method === 'OPTIONS') return done()
    const asked = seenRequest(request, choices)
    let sent: unknown = payload
    let waitMs = 0
    let bytesPerSecond = Number.POSITIVE_INFINITY
    let last: LastOfAnswer | undefined
    for (const seam of seams) {
      const deed = seam({
        ...asked,
        status: reply.statusCode,
        get body() {
          return textOf(sent)
        },
      })
      if (deed?.do === 'delay') waitMs += deed.ms
      else if (deed?.do === 'headers') reply.headers(deed.headers)
      else if (deed?.do === 'trickle') bytesPerSecond = Math.min(bytesPerSecond, deed.bytesPerSecond)
      else if (deed?.do === 'answer' || deed?.do === 'refuse') sent = answerForFault(deed, reply, options)
      else if (deed) last = deed
      if (last) break
    }
    wait(waitMs, () => {
      if (last?.do === 'reset') resetConnection(request)
      else if (last?.do === 'truncate') cutAfter(reply, textOf(sent), last.bytes)
      else if (last) return
      else if (bytesPerSecond < Number.POSITIVE_INFINITY)
        trickle(reply, textOf(sent), { bytesPerSecond, clock })
      else done(null, sent)
    })
  })
}

function seenRequest(request: FastifyRequest, { wire }: Choices): SeenRequest {
  const { id, method, credential, headers, ip, is404, routeOptions } = request
  const known = typeof credential === 'string' ? null : credential
  return {
    ref: id,
    method,
    route: is404 ? null : (routeOptions.url ?? null),
    address: known && wire.address.encode(known.address),
    credentialId: known?.id ?? null,
    remoteAddress: ip,
    userAgent: headers['user-agent'] ?? '',
  }
}

function textOf(payload: unknown): string {
  if (typeof payload === 'string') return payload
  return payload instanceof Uint8Array ? Buffer.from(payload).toString() : ''
}

type AnswerOptions = { choices: Choices; clock: Clock }

/** What a fault answers with. */
type Answering = ({ do: 'answer' } & Answered) | ({ do: 'refuse' } & Refused)

/** The body, once the head says what goes with it. */
function answerForFault(deed: Answering, reply: FastifyReply, options: AnswerOptions): string {
  const {
    status,
    headers = {},
    body,
    contentType,
  } = deed.do === 'answer' ? deed : refusal(deed, reply, options)
  reply
    .code(status)
    .type(contentType ?? 'application/json; charset=utf-8')
    .headers(headers)
    .removeHeader('content-length')
  return body
}

function refusal(refused: Refused, reply: FastifyReply, { choices, clock }: AnswerOptions): Answered {
  const { status, code, error, retryAfterMs: waitMs, body } = refused
  const { request } = reply
  request.failure = { code, source: null }
  if (waitMs !== undefined) spellRetryAfter(reply, { waitMs, choices, clock })
  if (body === 'none') return { status, body: '', contentType: 'text/plain' }
  if (body === 'html') return { status, body: errorPage(status), contentType: 'text/html; charset=utf-8' }
  return { status, body: JSON.stringify(errorBody({ error, code, request, choices })) }
}
