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
