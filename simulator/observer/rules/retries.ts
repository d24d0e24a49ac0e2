import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { type ObservedRequest, sameRequest } from '../observed.ts'
import { BoundedMap, type ObserverRule, ofEach } from '../observer-rule.ts'

const REQUESTS_MAX = 200
const WAITS_MAX = 50
/** Timers of regular reads are at least this exact. */
const AS_USUAL = 1.5

type Chain = {
  client: Client
  waitsMs: number[]
  entries: number[]
  respondedMs: number
  /** How long before the first failure the client sent the same request; null if it did not. */
  usualMs: number | null
  isOver: boolean
  deadline: Deadline | null
}

/**
 * Checks a chain of failures after it has ended, if the same request does not continue at the same interval: reads at a
 * fixed interval fail as regularly as they succeed, and are not retries.
 */
export const failuresBackOff: ObserverRule = {
  id: 'client.5xx.backs-off',
  advice: 'Wait before each retry: a random time below a limit that doubles with each attempt.',
  watch({ after, begin, handled, report }) {
    const chains = new BoundedMap<string, Chain>(REQUESTS_MAX)
    const getWaits = ofEach<Client, { waitsMs: number[]; entries: number[] }>(() => ({
      waitsMs: [],
      entries: [],
    }))

    const judge = (key: string, chain: Chain) => {
      chains.delete(key)
      const { client, waitsMs, usualMs } = chain
      const longestMs = Math.max(...waitsMs, 0)
      if (waitsMs.length === 0 || (usualMs !== null && usualMs <= AS_USUAL * longestMs)) return
      begin()
      const all = getWaits(client)
      all.waitsMs = [...all.waitsMs, ...waitsMs].slice(-WAITS_MIN)
      all.entries = [...all.entries, ...chain.entries].slice(-2 * WAITS_MIN)
      if (all.waitsMs.length < WAITS_MIN) return
      if (!areSteady(all.waitsMs)) return handled()
      report(client, {
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
    const start = (key: string, request: ObservedRequest) => {
      const { client, arrivedMs, respondedMs, readBeforeMs, entry } = request
      const usualMs = readBeforeMs === null ? null : arrivedMs - readBeforeMs
      const chain: Chain = {
        client,
        waitsMs: [],
        entries: [entry],
        respondedMs,
        usualMs,
        isOver: false,
        deadline: null,
      }
      chains.set(key, chain)
      expectMore(key, chain)
    }

    return {
      responded(request) {
        const { status, code, retryAfterMs, arrivedMs, respondedMs, entry } = request
        const isFailure = status >= 500 && code !== 'protocol_revision_pending' && retryAfterMs === null
        if (!isFailure && chains.size === 0) return
        const key = sameRequest(request)
        const chain = chains.get(key)
        if (!chain) {
          if (isFailure) start(key, request)
          return
        }
        // Concurrent ones: it is unknown which retries which. Or it continues at the same interval after a success.
        if (arrivedMs < chain.respondedMs || chain.isOver) {
          chain.deadline?.cancel()
          chains.delete(key)
          return
        }
        if (chain.waitsMs.length < WAITS_MAX) {
          chain.waitsMs.push(arrivedMs - chain.respondedMs)
          chain.entries.push(entry)
        }
        chain.respondedMs = respondedMs
        chain.isOver = !isFailure
        expectMore(key, chain)
      },
    }
  },
}

const FAILURES_MAX = 30
/** Slower requests may be regular reads, whether they succeed or not. */
const APART_MS = 500
const RUNS_MAX = 200

type Run = {
  count: number
  firstMs: number
  respondedMs: number
  entries: number[]
  stopped: Deadline | null
}

export const failuresBounded: ObserverRule = {
  id: 'client.5xx.bounded',
  advice: 'Give up after some attempts and tell the user, or let the waits grow to a long one.',
  watch({ begin, handled, after, report }) {
    const runs = new BoundedMap<string, Run>(RUNS_MAX)
    const forget = (key: string) => {
      runs.get(key)?.stopped?.cancel()
      runs.delete(key)
    }
    /** Without another failure or a success, the client has given up, or has slowed down. */
    const expectStop = (client: Client, run: Run) => {
      run.stopped?.cancel()
      run.stopped = after(client, FAILURES_MAX * APART_MS, handled)
    }
    return {
      responded(request) {
        const isFailure = request.status >= 500 && request.code !== 'protocol_revision_pending'
        if (!isFailure && runs.size === 0) return
        const key = sameRequest(request)
        if (!isFailure) return forget(key)
        const { client, method, route, arrivedMs, respondedMs, entry } = request
        const run = runs.get(key)
        if (!run || arrivedMs - run.respondedMs > FAILURES_MAX * APART_MS) {
          const first: Run = { count: 1, firstMs: respondedMs, respondedMs, entries: [entry], stopped: null }
          begin()
          runs.set(key, first)
          expectStop(client, first)
          return
        }
        // Concurrent requests are not retries of each other.
        if (arrivedMs < run.respondedMs) return
        run.count++
        expectStop(client, run)
        run.respondedMs = respondedMs
        run.entries = [...run.entries.slice(0, 3), entry]
        if (run.count < FAILURES_MAX || (respondedMs - run.firstMs) / (run.count - 1) >= APART_MS) return
        forget(key)
        report(client, {
          observed: `${method} ${route ?? '(no route)'} returned 5xx ${run.count} times in a row, within ${Math.round(respondedMs - run.firstMs)} ms`,
          evidence: run.entries,
        })
      },
    }
  },
}

/** Number of waits needed to tell a fixed one from chance. */
export const WAITS_MIN = 4

const AT_ONCE_MS = 20
const NOISE_MS = 5
const NOISE_SHARE = 0.02

/**
 * True if waits show neither growth nor jitter: all immediate, or all equal except for timer noise. With full jitter
 * over half a second, chance gives that in one of a hundred thousand cases.
 */
export function areSteady(waitsMs: readonly number[]): boolean {
  if (waitsMs.length < WAITS_MIN) return false
  const longestMs = Math.max(...waitsMs)
  const shortestMs = Math.min(...waitsMs)
  return longestMs <= AT_ONCE_MS || longestMs - shortestMs <= Math.max(NOISE_MS, NOISE_SHARE * longestMs)
}

export function waitsText(waitsMs: readonly number[]): string {
  return `${waitsMs.map((ms) => Math.round(ms)).join(', ')} ms`
}
