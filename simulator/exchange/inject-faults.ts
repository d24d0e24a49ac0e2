/** Injects faults into REST at two steps of the pipeline. Skips browser preflights. */
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import {
  errorPage,
  type RawResponse,
  type Rejection,
  type RequestAction,
  type RequestContext,
} from '../faults/hooks.ts'
import { payloadText, resetConnection } from '../http/transports.ts'
import { errorBody, spellRetryAfter } from './errors.ts'
import { createBodySerializer } from './replies/extra-fields.ts'

export type FaultyRest = { readonly hooks: Pick<Faults['hooks'], 'request' | 'response'> }

type Options = { choices: Choices; clock: Clock }

/** Ends the request: later faults are not triggered. */
type EndingAction = Exclude<RequestAction, { do: 'delay' | 'skew' | 'quote' | 'read' }>

/** Creates the hooks. They run on the virtual clock, one action after another for each request. */
export function createRestFaults({
  faults,
  lose,
  ...options
}: Options & {
  faults: FaultyRest
  /** Called for a request that gets no response. */
  lose: (request: FastifyRequest) => void
}) {
  const { choices, clock } = options
  const wait = (ms: number, then: () => void) => {
    if (ms > 0) clock.after(ms, then)
    else then()
  }

  const request: onRequestHookHandler = (request, reply, done) => {
    const hooks = faults.hooks.request
    if (hooks === null || request.method === 'OPTIONS') return done()
    const context = readContext(request, choices)
    let waitMs = 0
    let last: EndingAction | undefined
    for (const hook of hooks) {
      const action = hook(context)
      if (action?.do === 'delay') waitMs += action.ms
      else if (action?.do === 'skew') request.skewMs = (request.skewMs ?? 0) + action.ms
      else if (action?.do === 'quote') request.quotedRevision = action.revision
      else if (action?.do === 'read') request.views = action.views
      else if (action) last = action
      if (last) break
    }
    wait(waitMs, () => {
      if (!last) done()
      else if (last.do === 'reset' || last.do === 'hang') {
        request.ending = last
        lose(request)
        if (last.do === 'reset') resetConnection(request)
      } else reply.send(respondForFault(last, reply, options))
    })
  }

  const response: onSendHookHandler = (request, reply, payload, done) => {
    const hooks = faults.hooks.response
    if (hooks === null || request.method === 'OPTIONS' || request.ending) return done()
    const context = readContext(request, choices)
    let sent: unknown = payload
    let waitMs = 0
    let bytesPerSecond = Number.POSITIVE_INFINITY
    for (const hook of hooks) {
      const action = hook({
        ...context,
        status: reply.statusCode,
        get body() {
          return payloadText(sent)
        },
      })
      if (action?.do === 'delay') waitMs += action.ms
      else if (action?.do === 'headers') reply.headers(action.headers)
      else if (action?.do === 'trickle') bytesPerSecond = Math.min(bytesPerSecond, action.bytesPerSecond)
      else if (action?.do === 'respond' || action?.do === 'reject') {
        request.isMalformed = action.status < 400
        sent = respondForFault(action, reply, options)
      } else if (action?.do === 'truncate') request.ending = { do: 'cut', afterBytes: action.bytes }
      else if (action) request.ending = action
      if (request.ending) break
    }
    if (!request.ending && bytesPerSecond < Number.POSITIVE_INFINITY)
      request.ending = { do: 'trickle', bytesPerSecond }
    wait(waitMs, () => done(null, sent))
  }

  return { request, response }
}

function readContext(request: FastifyRequest, { wire }: Choices): RequestContext {
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

type RespondAction = ({ do: 'respond' } & RawResponse) | ({ do: 'reject' } & Rejection)

function respondForFault(action: RespondAction, reply: FastifyReply, options: Options): string {
  const {
    status,
    headers = {},
    body,
    contentType,
  } = action.do === 'respond' ? action : buildRejection(action, reply, options)
  if (action.do === 'respond') reply.request.failure = null
  reply
    .code(status)
    .type(contentType ?? 'application/json; charset=utf-8')
    .headers(headers)
    .removeHeader('content-length')
  return body
}

function buildRejection(refused: Rejection, reply: FastifyReply, { choices, clock }: Options): RawResponse {
  const { status, code, error, retryAfterMs: waitMs, body } = refused
  const { request } = reply
  request.failure = { code, source: null }
  if (waitMs !== undefined) spellRetryAfter(reply, { waitMs, choices, clock })
  if (body === 'none') return { status, body: '', contentType: 'text/plain' }
  if (body === 'html') return { status, body: errorPage(status), contentType: 'text/html; charset=utf-8' }
  return { status, body: createBodySerializer(choices)(errorBody({ error, code, request, choices })) }
}
