import { CannotJudge, CannotProbe } from '../verdict/cannot.ts'

/** What all VUs of a run use up together: `k6/x/breakwater`. */
export type Budget = {
  /** Counts so many more under a name if no more than `most` are counted then; else counts none, and returns false. */
  take(name: string, count: number, most: number): boolean
  taken(name: string): number
}

/** What a VU may send to its target: how much, and whether it may change anything. */
export type Allowance = {
  /** To be asked before each request. Throws CannotJudge once its share is used up, CannotProbe at a write that is not allowed. */
  take(request: { method: string; path: string }): void
  /** For what takes many requests: throws CannotJudge if fewer than `count` are left, before any of them is sent. */
  mustBeLeft(count: number, what: string): void
}

/** What a VU may send: of a share that others draw on as well; null: as many as it takes. */
export function createAllowance(options: {
  limit: { share: Share; budget: Budget } | null
  /** Why nothing may be changed; null: it may. */
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
        `${what} takes up to ${count} requests, and the ${share.of} may send ${left} more (${share.bound})`,
      )
    },
  }
}

function usable({ requestsMax, kept }: Share): number {
  return requestsMax - kept
}

function usedUp(share: Share): string {
  const kept = share.kept === 0 ? '' : `, and ${share.kept} more are kept for ending sessions and tokens`
  return `the ${share.of} sent the ${usable(share)} requests allowed${kept} (${share.bound})`
}

function endsSomething({ method, path }: { method: string; path: string }): boolean {
  return method === 'DELETE' || path === '/auth/logout'
}

/** What one kind of VUs may send together. */
export type Share = {
  /** The name of their budget, and what messages call them. */
  of: 'probes' | 'load'
  requestsMax: number
  /** Of these, how many are kept for ending sessions and tokens: nothing is left behind for want of requests. */
  kept: number
  /** Why it is no more: the option that says so. */
  bound: string
}

const KEPT_SHARE = 0.1
const KEPT_MAX = 50
/** A load sends more than its mix says if requests are tried again. */
const LOAD_ROOM = 3

/**
 * How a run's requests are shared out: the load gets what it needs, a half at the most, and the probes get the rest. All probes
 * draw on one budget, as one of them may need more than all others together.
 */
export function shareRequests(options: {
  requestsMax: number
  /** Of these, sent before the run, to make API tokens for the load. */
  requestsSpent: number
  /** What the load sends on average; 0: there is none. */
  loadRequests: number
}): Record<Share['of'], Share> {
  const { requestsMax, requestsSpent, loadRequests } = options
  const left = requestsMax - requestsSpent
  const ofLoad = Math.min(Math.ceil(left / 2), Math.ceil(LOAD_ROOM * loadRequests))
  const ofProbes = left - ofLoad
  const boundOf = (count: number, others: string) => {
    const tokens = requestsSpent === 0 ? '' : ` and ${requestsSpent} for making API tokens`
    return `--max-requests ${requestsMax}${loadRequests === 0 ? '' : `, ${count} of them for the ${others}${tokens}`}`
  }
  return {
    probes: {
      of: 'probes',
      requestsMax: ofProbes,
      kept: Math.min(KEPT_MAX, Math.ceil(ofProbes * KEPT_SHARE)),
      bound: boundOf(ofLoad, 'load'),
    },
    load: { of: 'load', requestsMax: ofLoad, kept: 0, bound: boundOf(ofProbes, 'probes') },
  }
}
