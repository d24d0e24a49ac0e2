import { config } from '../config.ts'
import type { Budget } from './allowance.ts'
import type { Share } from './request-shares.ts'

export type RequestLimit = { share: Share; budget: Budget }

let limit: (() => RequestLimit | null) | undefined

/** Says what this VU draws its requests from: whatever makes VUs knows. Apart from that, as most VUs need none of it. */
export function limitRequests(limitOfVu: () => RequestLimit | null): void {
  limit = limitOfVu
}

/** What bounds the requests of this VU; null: nothing does. Throws if requests are bounded and no one said how. */
export function requestLimit(): RequestLimit | null {
  if (config.requestsMax === null) return null
  if (limit === undefined) throw new Error('requests are bounded, and this VU has no share of them')
  return limit()
}
