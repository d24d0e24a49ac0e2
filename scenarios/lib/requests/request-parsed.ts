import type { Target } from '../../../contract/scenario-config.ts'
import { GaveUp } from './patient.ts'
import { onlooker, whyNotTheExchange } from './reply.ts'
import { isSuccess, orPersistent, type Reply, type RequestSpec, request } from './request.ts'

const TRIES_MAX = 3

/**
 * As request, for reads: asks again where the body does not parse, as it may have been cut on the way. Throws GaveUp where
 * none does and they differ; hands on what never parses and persists.
 */
export async function requestParsed(target: Target, asked: Omit<RequestSpec, 'method'>): Promise<Reply> {
  const spec: RequestSpec = { method: 'GET', parsed: true, ...asked }
  for (let attempt = 1; ; attempt++) {
    const reply = await request(target, spec)
    if (reply.json !== undefined) return reply
    // No answer at all has been looked into already.
    if (reply.status === 0) return reply
    // Nor does `request` return a page of HTML that was not.
    if (isSuccess(reply) && whyNotTheExchange(reply) !== undefined) return note(spec, reply)
    if (attempt < TRIES_MAX) continue
    const error = new GaveUp(`no JSON: ${reply.evidence()}`, { toldMs: 0, reply })
    return note(spec, await orPersistent(target, spec, error))
  }
}

/** A refusal may be the page of a proxy. */
function note(spec: RequestSpec, reply: Reply): Reply {
  if (reply.json === undefined && isSuccess(reply)) onlooker.neverParsed?.(spec, reply)
  return reply
}
