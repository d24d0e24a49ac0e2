import { CannotJudge, CannotProbe } from '../probe/cannot.ts'

/** What a run may send to its target: how much, and whether it may change anything. */
export type Allowance = {
  /** To be asked before each request. Throws CannotJudge once the run has sent its share, CannotProbe at a write that is not allowed. */
  take(request: { method: string; path: string }): void
  sent(): number
}

/** Of what may be sent, the part that is kept for ending sessions and tokens: nothing is left behind for want of requests. */
const KEPT_SHARE = 0.1
const KEPT_MAX = 50

/** What a VU may send; it counts from 0. */
export function createAllowance(options: {
  /** Null: as many as it takes. */
  requestsMax: number | null
  /** Why nothing may be changed; null: it may. */
  writesRefused: string | null
}): Allowance {
  const { requestsMax, writesRefused } = options
  const all = requestsMax ?? Number.POSITIVE_INFINITY
  const forProbes = all - Math.min(KEPT_MAX, Math.ceil(all * KEPT_SHARE))
  let sent = 0
  return {
    take(request) {
      if (request.method !== 'GET' && writesRefused !== null) throw new CannotProbe(writesRefused)
      if (sent >= (endsSomething(request) ? all : forProbes)) {
        throw new CannotJudge(`the run has sent what it may of ${all} requests (--max-requests)`)
      }
      sent++
    },
    sent: () => sent,
  }
}

function endsSomething({ method, path }: { method: string; path: string }): boolean {
  return method === 'DELETE' || path === '/auth/logout'
}
