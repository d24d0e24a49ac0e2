/** What time the exchange says that it is: the clock’s, unless a fault has it wrong for this request. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How far the clock that this request is answered by is ahead; not there where no hook has seen the request. */
    skewMs?: number
  }
}

/** Dates every answer, also one that comes past all hooks, by the function that this returns. */
export function tellTimes(app: FastifyInstance, clock: Clock): (reply: FastifyReply) => FastifyReply {
  const dateText = createDateText()
  app.decorateRequest('skewMs', 0)
  return (reply) => reply.header('date', dateText(toldMs(reply.request, clock.nowMs())))
}

/** A time of the exchange’s own, such as an expiry. */
export function toldMs({ skewMs = 0 }: FastifyRequest, atMs: number): number {
  return atMs + skewMs
}

/** Sets Retry-After: how long to wait, as seconds or as a date by the choices, on the clock that the request is told. */
export function spellRetryAfter(
  reply: FastifyReply,
  { waitMs, choices, clock }: { waitMs: number; choices: Choices; clock: Clock },
): void {
  const nowMs = toldMs(reply.request, clock.nowMs())
  reply.header('retry-after', choices.wire.retryAfter({ waitMs, nowMs }))
}

/** To the second, in the form of RFC 9110; put into words once a second. */
function createDateText(): (atMs: number) => string {
  let known = { second: Number.NaN, text: '' }
  return (atMs) => {
    const second = Math.floor(atMs / 1000)
    if (known.second !== second) known = { second, text: new Date(second * 1000).toUTCString() }
    return known.text
  }
}
