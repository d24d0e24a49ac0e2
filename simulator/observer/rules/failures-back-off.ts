import { BoundedMap } from '../bounded-map.ts'
import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import type { ObservedRequest } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'
import { sameRequest } from '../same-request.ts'
import { areSteady, WAITS_MIN, waitsText } from '../steady-waits.ts'

const REQUESTS_MAX = 200
const WAITS_MAX = 50
/** Timers of reads that come regularly are that exact at worst. */
const AS_USUAL = 1.5

type Chain = {
  client: Client
  waitsMs: number[]
  entries: number[]
  answeredMs: number
  /** How long before the first failure the client had asked the same; null where it had not. */
  usualMs: number | null
  isOver: boolean
  deadline: Deadline | null
}

/**
 * A chain of failures is judged once it has ended and the same request does not come on as regularly: reads at a fixed
 * interval fail as regularly as they succeed, and are no retries.
 */
export const failuresBackOff: ObserverRule = {
  id: 'client.5xx.backs-off',
  advice: 'Wait before each retry: a random time below a bound that doubles with each attempt.',
  watch({ after, saw, accuse }) {
    const chains = new BoundedMap<string, Chain>(REQUESTS_MAX)
    const waitsOf = ofEach<Client, { waitsMs: number[]; entries: number[] }>(() => ({
      waitsMs: [],
      entries: [],
    }))

    const judge = (key: string, chain: Chain) => {
      chains.delete(key)
      const { client, waitsMs, usualMs } = chain
      const longestMs = Math.max(...waitsMs, 0)
      if (waitsMs.length === 0 || (usualMs !== null && usualMs <= AS_USUAL * longestMs)) return
      const all = waitsOf(client)
      all.waitsMs = [...all.waitsMs, ...waitsMs].slice(-WAITS_MIN)
      all.entries = [...all.entries, ...chain.entries].slice(-2 * WAITS_MIN)
      if (!areSteady(all.waitsMs)) return
      accuse(client, {
        observed: `${WAITS_MIN} retries in a row after 5xx, each after ${waitsText(all.waitsMs)}`,
        evidence: all.entries,
      })
      all.waitsMs = []
      all.entries = []
    }
    const expectMore = (key: string, chain: Chain) => {
      chain.deadline?.cancel()
      const longestMs = Math.max(...chain.waitsMs, 0)
      chain.deadline = after(chain.client, 3 * longestMs + 2000, () => judge(key, chain))
    }
    const begin = (key: string, request: ObservedRequest) => {
      const { client, arrivedMs, answeredMs, readBeforeMs, entry } = request
      const usualMs = readBeforeMs === null ? null : arrivedMs - readBeforeMs
      const chain: Chain = {
        client,
        waitsMs: [],
        entries: [entry],
        answeredMs,
        usualMs,
        isOver: false,
        deadline: null,
      }
      chains.set(key, chain)
      expectMore(key, chain)
    }

    return {
      answered(request) {
        const { status, code, retryAfterMs, arrivedMs, answeredMs, entry } = request
        const isFailure = status >= 500 && code !== 'protocol_revision_pending' && retryAfterMs === null
        if (!isFailure && chains.size === 0) return
        const key = sameRequest(request)
        const chain = chains.get(key)
        if (isFailure) saw()
        if (!chain) {
          if (isFailure) begin(key, request)
          return
        }
        // Two at once: nobody knows which is a retry of which. Or it goes on as regularly after a success.
        if (arrivedMs < chain.answeredMs || chain.isOver) {
          chain.deadline?.cancel()
          chains.delete(key)
          return
        }
        if (chain.waitsMs.length < WAITS_MAX) {
          chain.waitsMs.push(arrivedMs - chain.answeredMs)
          chain.entries.push(entry)
        }
        chain.answeredMs = answeredMs
        chain.isOver = !isFailure
        expectMore(key, chain)
      },
    }
  },
}
