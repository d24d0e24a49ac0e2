import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { type ObservedRequest, type RequestArrival, sameRequest } from '../observed.ts'
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

export const tooManyWaits: ObserverRule = {
  id: 'client.429.waits',
  advice:
    'Wait for the time in Retry-After before you send the same request again; without one, wait a random time below a limit that doubles with each attempt.',
  watch({ begin, handled, report }) {
    const early = createEarlyRetries()
    const waits = createWaits({ key: sameRequest, keptBy: 'any request', handled })
    const storms = createStorms()
    return {
      lost: waits.settle,
      responded(request) {
        const { client, method, route, retryAfterMs } = request
        const isRejected = request.status === 429
        waits.settle(request)
        if (isRejected) begin()
        if (isRejected && retryAfterMs !== null) waits.begin(request, retryAfterMs)
        const what = `${method} ${route ?? '(no route)'}`
        const tooEarly = early.find(request, { isRejected })
        if (tooEarly)
          report(client, {
            observed: `${what} was sent again before Retry-After had passed, ${tooEarly.times}`,
            evidence: tooEarly.entries,
          })
        const storm = storms.find(request)
        if (storm)
          report(client, {
            observed: `${what} was sent again ${STORM_SENT} times within ${Math.round(storm.tookMs)} ms, although each response was 429`,
            evidence: storm.entries,
          })
      },
    }
  },
}

/** A request that arrives this soon after a response may have been in flight. */
const ON_THE_WAY_MS = 100
/** Client clocks may be this far off. */
const EARLY_MS = 50
/**
 * Waits for the same request that may be open at once: a program that waits has one, and two programs that cannot know
 * of each other have two.
 */
const EARLY_WAITS_MAX = 2
/** One could be a person’s. */
const EARLY_RETRIES_MIN = 2
const EARLY_REQUESTS_MAX = 200

type Wait = { respondedMs: number; untilMs: number; connection: number | null; entry: number }

type EarlyRetries = {
  /**
   * Reports a request that came during a wait, if its sender must have known of the wait: because more programs would be
   * needed than there may be; or because it used the connection of the rejection, repeatedly. Tabs of a browser share
   * its session and its connections, but programs with an API token share no connection.
   */
  find(
    request: ObservedRequest,
    options: { isRejected: boolean },
  ): { times: string; entries: number[] } | undefined
}

export function createEarlyRetries(): EarlyRetries {
  const byRequest = new BoundedMap<string, { waits: Wait[]; retries: number; entries: number[] }>(
    EARLY_REQUESTS_MAX,
  )
  return {
    find(request, { isRejected }) {
      const { arrivedMs, respondedMs, retryAfterMs, connection, credential, entry } = request
      const wait =
        isRejected && retryAfterMs !== null
          ? { respondedMs, untilMs: respondedMs + retryAfterMs, connection, entry }
          : null
      if (!wait && byRequest.size === 0) return undefined
      const key = sameRequest(request)
      const known = byRequest.get(key) ?? { waits: [], retries: 0, entries: [] }
      const waits = known.waits.filter(({ untilMs }) => untilMs - EARLY_MS > arrivedMs)
      const isOwn = (one: Wait) =>
        connection !== null && one.connection === connection && arrivedMs >= one.respondedMs
      const own = credential === 'api-token' ? waits.find(isOwn) : undefined
      if (own) {
        known.retries++
        known.entries.push(own.entry, entry)
      }
      const last = waits.at(-1)
      // Concurrent ones count once.
      const isLater = !last || isOwn(last) || arrivedMs >= last.respondedMs + ON_THE_WAY_MS
      const together = isLater ? [...waits.map((one) => one.entry), entry] : []
      if (together.length > EARLY_WAITS_MAX || known.retries >= EARLY_RETRIES_MIN) {
        byRequest.delete(key)
        return together.length > EARLY_WAITS_MAX
          ? { times: `${together.length - 1} times in a row`, entries: together }
          : { times: `${known.retries} times on one connection`, entries: known.entries }
      }
      if (wait && isLater) waits.push(wait)
      if (wait || byRequest.has(key)) byRequest.set(key, { ...known, waits })
      return undefined
    },
  }
}

/**
 * Without `Retry-After`, a client chooses its wait, but no backoff that starts at 100 ms sends this much. With full jitter
 * that doubles up to a second, the chance is 1e-14 for one program (1000^19 / 19! over the product of its limits), and
 * below 1e-6 for two that send half of the requests each.
 */
const STORM_SENT = 20
const STORM_MS = 1000

type Storm = { toldMs: number; connection: number | null; respondedMs: number; sent: Sent[] }
type Sent = { arrivedMs: number; entry: number }

/** Requests repeated after a 429 without `Retry-After` almost without a pause, until another status. */
function createStorms() {
  const byRequest = new BoundedMap<string, Storm>(EARLY_REQUESTS_MAX)
  return {
    find(request: ObservedRequest): { tookMs: number; entries: number[] } | undefined {
      const { status, arrivedMs, respondedMs, retryAfterMs, connection, entry } = request
      const isRejected = status === 429 && retryAfterMs === null
      if (!isRejected && byRequest.size === 0) return undefined
      const key = sameRequest(request)
      if (!isRejected) return void byRequest.delete(key)
      const storm = byRequest.get(key)
      if (!storm) {
        byRequest.set(key, { toldMs: respondedMs, connection, respondedMs, sent: [] })
        return undefined
      }
      const isOwn = connection !== null && connection === storm.connection
      const isOnTheWay = !isOwn && arrivedMs < storm.toldMs + ON_THE_WAY_MS
      // Concurrent requests are not retries of each other.
      if (isOnTheWay || arrivedMs < storm.respondedMs) return undefined
      storm.respondedMs = respondedMs
      storm.sent = [...storm.sent, { arrivedMs, entry }].slice(-STORM_SENT)
      const [first] = storm.sent
      const tookMs = arrivedMs - (first?.arrivedMs ?? arrivedMs)
      if (storm.sent.length < STORM_SENT || tookMs >= STORM_MS) return undefined
      byRequest.delete(key)
      return { tookMs, entries: storm.sent.map((sent) => sent.entry) }
    },
  }
}

/**
 * Waits that were required of a client. One is handled when, after it, the client sends such a request; the same request
 * during the wait ends it unhandled.
 */
export function createWaits(options: {
  key: (request: RequestArrival) => string
  keptBy: 'same request' | 'any request'
  handled: () => void
}) {
  const { key, keptBy, handled } = options
  const getOpen = ofEach<Client, { waits: (Omit<Wait, 'connection' | 'entry'> & { key: string })[] }>(() => ({
    waits: [],
  }))
  return {
    begin(request: ObservedRequest, waitMs: number): void {
      const { client, respondedMs } = request
      const open = getOpen(client)
      open.waits.push({ key: key(request), respondedMs, untilMs: respondedMs + waitMs })
      if (open.waits.length > WAITS_MAX) open.waits.shift()
    },
    settle(request: RequestArrival & { client: Client }): void {
      const open = getOpen(request.client)
      if (open.waits.length === 0) return
      const requested = key(request)
      open.waits = open.waits.filter((wait) => {
        const isSame = wait.key === requested
        const isKept = request.arrivedMs >= wait.untilMs - EARLY_MS && (isSame || keptBy === 'any request')
        if (isKept) handled()
        return !(isKept || (isSame && request.arrivedMs >= wait.respondedMs + ON_THE_WAY_MS))
      })
    },
  }
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
