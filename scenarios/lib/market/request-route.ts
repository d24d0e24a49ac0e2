import type { Target } from '../../../contract/scenario-config.ts'
import { type Credential, type Reply, request } from '../requests/request.ts'
import type { Pair } from './routes.ts'

export type RouteReply = { pair: Pair; amountIn: string; reply: Reply }

export function requestRoute(
  target: Target,
  options: {
    pair: { tokenIn: string; tokenOut: string }
    /** Undefined leaves it out. */
    amountIn: string | undefined
    credential: Credential | undefined
  },
): Promise<Reply> {
  const { pair, amountIn, credential } = options
  const query = {
    token_in: pair.tokenIn,
    token_out: pair.tokenOut,
    ...(amountIn !== undefined && { amount_in: amountIn }),
  }
  return request(target, { method: 'GET', path: '/route', query, credential })
}

export function listEvidence(requested: readonly RouteReply[]): string[] {
  return requested.slice(0, 3).map(({ reply }) => reply.evidence())
}
