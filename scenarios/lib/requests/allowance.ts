import { CannotJudge, CannotProbe } from '../verdict/cannot.ts'
import type { Share } from './request-shares.ts'

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
