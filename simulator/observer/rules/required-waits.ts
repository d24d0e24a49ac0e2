import type { Client } from '../client.ts'
import { type ObservedRequest, type RequestArrival, sameRequest } from '../observed.ts'
import { BoundedMap, type ObserverRule, ofEach } from '../observer-rule.ts'

export const tooManyWaits: ObserverRule = {
  id: 'client.429.waits',
  advice:
    'Wait for the time in Retry-After before you send the same request again; without one, wait a random time below a limit that doubles with each attempt.',
  watch({ kin, begin, handled, report }) {
    const early = createEarlyRetries(kin)
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
/**
 * Waits for the same request that may be open at once: a program that waits has one, and programs cannot know of each
 * other's. Few programs share an API token; tabs of a browser share its session, and any number sign in or refresh at once.
 * More programs that follow the feed are known by their sockets.
 */
const EARLY_WAITS_MAX = { 'api-token': 2, session: 3, none: 5, invalid: 5 }
/** One could be a person’s. */
const EARLY_RETRIES_MIN = 2
const EARLY_REQUESTS_MAX = 200
const WAITS_MAX = 50

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

export function createEarlyRetries(kin: (client: Client) => readonly Client[]): EarlyRetries {
  const byRequest = new BoundedMap<string, { waits: Wait[]; retries: number; entries: number[] }>(
    EARLY_REQUESTS_MAX,
  )
  const getPrograms = ofEach<Client, { mostSockets: number }>(() => ({ mostSockets: 0 }))
  return {
    find(request, { isRejected }) {
      const { client, arrivedMs, respondedMs, retryAfterMs, connection, credential, entry } = request
      // Their sockets may be lost when they get the rejection.
      const programs = getPrograms(client)
      programs.mostSockets = Math.max(programs.mostSockets, countSockets(kin(client)))
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
      const areTooMany = together.length > Math.max(EARLY_WAITS_MAX[credential], programs.mostSockets)
      if (areTooMany || known.retries >= EARLY_RETRIES_MIN) {
        byRequest.delete(key)
        return areTooMany
          ? { times: `${together.length - 1} times in a row`, entries: together }
          : { times: `${known.retries} times on one connection`, entries: known.entries }
      }
      if (wait && isLater) waits.push(wait)
      if (wait || byRequest.has(key)) byRequest.set(key, { ...known, waits })
      return undefined
    },
  }
}

function countSockets(clients: readonly Client[]): number {
  return clients.reduce((sum, { openSockets }) => sum + openSockets, 0)
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
