import type { Target } from '../../../contract/scenario-config.ts'
import { type Reply, type RequestSpec, request } from './request.ts'

const TRIES_MAX = 3

/** As request, for reads: asks again where the body does not parse, as it may have been cut on the way. */
export async function requestParsed(target: Target, spec: Omit<RequestSpec, 'method'>): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const reply = await request(target, { method: 'GET', ...spec })
    if (reply.json !== undefined || attempt === TRIES_MAX) return reply
  }
}
