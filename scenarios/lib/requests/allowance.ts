import { CannotJudge, CannotProbe } from '../verdict/judge.ts'

/** Counters shared by all VUs of a run (`k6/x/breakwater`). */
export type Budget = {
  /**
   * Adds `count` under a name and returns true if the sum stays within `most`; otherwise adds nothing and
   * returns false.
   */
  take(name: string, count: number, most: number): boolean
  taken(name: string): number
}

/** The requests that a VU may send. */
export type Allowance = {
  /**
   * Call before each request. Throws CannotJudge if the share is used up, CannotProbe for a forbidden write.
   */
  take(request: { method: string; path: string }): void
  /** Call before work that takes many requests. Throws CannotJudge if fewer than `count` are left. */
  mustBeLeft(count: number, what: string): void
}

/** Creates the allowance of a VU from a share that other VUs draw on too; null means unlimited. */
export function createAllowance(options: {
  limit: { share: Share; budget: Budget } | null
  /** Why writes are forbidden; null if they are allowed. */
  writesRefused: string | null
}): Allowance {
  const { limit, writesRefused } = options
  return {
    take(request) {
      if (request.method !== 'GET' && writesRefused !== null)
        throw new CannotProbe(writesRefused, 'mutations')
      if (limit === null) return
      const { share, budget } = limit
      const most = endsSomething(request) ? share.requestsMax : usable(share)
      if (!budget.take(share.of, 1, most)) throw new CannotJudge(usedUp(share))
    },
    mustBeLeft(count, what) {
      if (limit === null) return
      const { share, budget } = limit
      const left = Math.max(0, usable(share) - budget.taken(share.of))
      if (left >= count) return
      throw new CannotJudge(
        `${what} takes up to ${count} requests, but the ${share.of} may send only ${left} more (${share.bound})`,
      )
    },
  }
}

function usable({ requestsMax, kept }: Share): number {
  return requestsMax - kept
}

function usedUp(share: Share): string {
  const kept = share.kept === 0 ? '' : `, and ${share.kept} more are reserved for ending sessions and tokens`
  return `the ${share.of} sent the ${usable(share)} requests allowed${kept} (${share.bound})`
}

function endsSomething({ method, path }: { method: string; path: string }): boolean {
  return method === 'DELETE' || path === '/auth/logout'
}

/** The requests that VUs of one kind may send together. */
export type Share = {
  /** Name of the budget, also used in messages. */
  of: 'probes' | 'load'
  requestsMax: number
  /** Part of requestsMax reserved for ending sessions and tokens, so that cleanup never lacks requests. */
  kept: number
  /** The option that sets the limit. */
  bound: string
}

const KEPT_SHARE = 0.1
const KEPT_MAX = 50
/** Retries make a load send more than its mix specifies. */
const LOAD_ROOM = 3

/**
 * Splits a run's requests: the load gets what it needs, at most half, and the probes get the rest. All probes
 * share one budget, because one of them may need more than all others together.
 */
export function shareRequests(options: {
  requestsMax: number
  /** Part of requestsMax sent before the run to create API tokens for the load. */
  requestsSpent: number
  /** Expected requests of the load; 0 without a load. */
  loadRequests: number
}): Record<Share['of'], Share> {
  const { requestsMax, requestsSpent, loadRequests } = options
  const left = requestsMax - requestsSpent
  const ofLoad = Math.min(Math.ceil(left / 2), Math.ceil(LOAD_ROOM * loadRequests))
  const ofProbes = left - ofLoad
  const describeBound = (count: number, others: string) => {
    const tokens = requestsSpent === 0 ? '' : ` and ${requestsSpent} for creating API tokens`
    return `--max-requests ${requestsMax}${loadRequests === 0 ? '' : `, ${count} of them for the ${others}${tokens}`}`
  }
  return {
    probes: {
      of: 'probes',
      requestsMax: ofProbes,
      kept: Math.min(KEPT_MAX, Math.ceil(ofProbes * KEPT_SHARE)),
      bound: describeBound(ofLoad, 'load'),
    },
    load: { of: 'load', requestsMax: ofLoad, kept: 0, bound: describeBound(ofProbes, 'probes') },
  }
}
