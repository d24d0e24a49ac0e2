import type { Target } from '../../../contract/scenario-config.ts'
import { GaveUp } from './patient.ts'
import { explainNotTheExchange, replyObserver } from './reply.ts'
import { isSuccess, orPersistent, type Reply, type RequestSpec, request } from './request.ts'

const TRIES_MAX = 3

/**
 * Like request, for reads: retries if the body does not parse, because it may have been truncated. Throws
 * GaveUp if no attempt parses and they differ; returns the reply if the error persists.
 */
export async function requestParsed(target: Target, requested: Omit<RequestSpec, 'method'>): Promise<Reply> {
  const spec: RequestSpec = { method: 'GET', parsed: true, ...requested }
  for (let attempt = 1; ; attempt++) {
    const reply = await request(target, spec)
    if (reply.json !== undefined) return reply
    // `request` has already confirmed a missing response.
    if (reply.status === 0) return reply
    // `request` has already confirmed an HTML page.
    if (isSuccess(reply) && explainNotTheExchange(reply) !== undefined) return note(spec, reply)
    if (attempt < TRIES_MAX) continue
    const error = new GaveUp(`not JSON: ${reply.evidence()}`, { serverWaitMs: 0, reply })
    return note(spec, await orPersistent(target, spec, error))
  }
}

/** Rejections are exempt: they may be a proxy's page. */
function note(spec: RequestSpec, reply: Reply): Reply {
  if (reply.json === undefined && isSuccess(reply)) replyObserver.neverParsed?.(spec, reply)
  return reply
}
