/**
 * Where injected faults take hold of REST: of a request once it is known who asks, ahead of limits and access levels, and of
 * an answer once it is made. Preflights of browsers are left alone.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { AnswerDeed, Answered, RequestDeed, SeenRequest } from '../faults/seams.ts'
import { cutAfter, resetConnection, trickle } from './spoil-connection.ts'

type Options = { faults: Pick<Faults, 'seams'>; clock: Clock; choices: Choices }

/** What ends it; each fault beyond that one is not asked any more. */
type LastDeed = Extract<AnswerDeed, { do: 'hang' | 'reset' | 'truncate' }>

export function injectFaults(app: FastifyInstance, { faults, clock, choices }: Options): void {
  const wait = (ms: number, then: () => void) => {
    if (ms > 0) clock.after(ms, then)
    else then()
  }

  app.addHook('onRequest', (request, reply, done) => {
    const seams = faults.seams.request
    if (seams === null || request.method === 'OPTIONS') return done()
    const seen = seenRequest(request, choices)
    let waitMs = 0
    let last: Exclude<RequestDeed, { do: 'delay' }> | undefined
    for (const seam of seams) {
      const deed = seam(seen)
      if (deed?.do === 'delay') waitMs += deed.ms
      else if (deed) last = deed
      if (last) break
    }
    wait(waitMs, () => {
      if (!last) done()
      else if (last.do === 'reset') resetConnection(request)
      else if (last.do === 'answer') reply.send(answerWith(reply, last))
    })
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const seams = faults.seams.answer
    if (seams === null || request.method === 'OPTIONS') return done()
    const asked = seenRequest(request, choices)
    let sent: unknown = payload
    let waitMs = 0
    let bytesPerSecond = Number.POSITIVE_INFINITY
    let last: LastDeed | undefined
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
      else if (deed?.do === 'answer') sent = answerWith(reply, deed)
      else if (deed) last = deed
      if (last) break
    }
    wait(waitMs, () => {
      if (last?.do === 'reset') resetConnection(request)
      else if (last?.do === 'truncate') cutAfter(reply, textOf(sent), last.bytes)
      else if (last === undefined && bytesPerSecond < Number.POSITIVE_INFINITY)
        trickle(reply, textOf(sent), { bytesPerSecond, clock })
      else if (last === undefined) done(null, sent)
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

/** The body, once the head says what goes with it. */
function answerWith(reply: FastifyReply, { status, headers = {}, body, contentType }: Answered): string {
  reply
    .code(status)
    .type(contentType ?? 'application/json; charset=utf-8')
    .headers(headers)
    .removeHeader('content-length')
  return body
}

function textOf(payload: unknown): string {
  if (typeof payload === 'string') return payload
  return payload instanceof Uint8Array ? Buffer.from(payload).toString() : ''
}
