import type { Client } from '../client.ts'
import type { LostRequest, ObservedRequest } from '../observed.ts'
import { BoundedMap, type ObserverRule } from '../observer-rule.ts'

/** Several programs may have the same credential, and each has to learn of the 401. */
const AGAIN_MAX = 4

export const unauthorizedReplaces: ObserverRule = {
  id: 'client.401.replaces',
  advice:
    'After a 401, refresh the session, sign in again or use another API token; do not send the old one again.',
  watch({ begin, handled, report }) {
    const repeats = createRepeats({ quietMs: Number.POSITIVE_INFINITY })
    /** Rejected credentials of each program that it has not replaced yet, with the time of the last 401. */
    const rejected = new BoundedMap<string, Map<string, number>>(CLIENTS_MAX)
    const noteReplaced = (seat: string, { arrivedMs }: ObservedRequest) => {
      const open = rejected.get(seat)
      for (const [digest, respondedMs] of open ?? []) {
        if (respondedMs > arrivedMs) continue
        open?.delete(digest)
        handled()
      }
    }
    const noteRejected = (seat: string, digest: string, respondedMs: number) => {
      const open = rejected.get(seat) ?? new BoundedMap(KEYS_MAX)
      if (!open.has(digest)) begin()
      rejected.set(seat, open.set(digest, respondedMs))
    }
    return {
      responded(request) {
        const { client, refusedDigest, remoteAddress, userAgent, credential, status } = request
        const seat = `${remoteAddress} ${userAgent}`
        if (credential !== 'none' && credential !== 'invalid' && status !== 401) noteReplaced(seat, request)
        if (refusedDigest === null) return
        noteRejected(seat, refusedDigest, request.respondedMs)
        const key = `${refusedDigest} ${seat}`
        const { again, entries } = repeats.count(key, request)
        if (again <= AGAIN_MAX) return
        repeats.forget(key)
        report(client, {
          observed: `a credential rejected with 401 was sent ${again} more times, each time after the previous response`,
          evidence: entries,
        })
      },
    }
  },
}

/** Includes pages that a person reloads. */
const FORBIDDEN_AGAIN_MAX = 5
const QUIET_MS = 30_000

export const forbiddenStops: ObserverRule = {
  id: 'client.403.stops',
  advice:
    'After a 403, stop and tell the user that the wallet needs access: requesting again changes nothing.',
  watch({ begin, handled, after, report }) {
    const repeats = createRepeats({ quietMs: QUIET_MS })
    return {
      responded(request) {
        const { client, code, credential, credentialId, remoteAddress, userAgent } = request
        if (code !== 'access_required' || credential === 'none') return
        const key = `${credentialId ?? ''} ${remoteAddress} ${userAgent}`
        const { again, entries } = repeats.count(key, request)
        if (again === 0) {
          begin()
          after(client, QUIET_MS, () => {
            if (!repeats.has(key)) handled()
          })
        }
        if (again <= FORBIDDEN_AGAIN_MAX) return
        repeats.forget(key)
        report(client, {
          observed: `a wallet without access got 403 ${again + 1} times, each time after the previous response`,
          evidence: entries,
        })
      },
    }
  },
}

/** A request that arrives this soon after a response may have been in flight. */
const ON_THE_WAY_MS = 250
const KEYS_MAX = 200
const ENTRIES_MAX = 20

type Run = { count: number; respondedMs: number; entries: number[] }

/**
 * Counts consecutive rejections, each of a request sent after the previous response: concurrent ones count once. Starts
 * over after `quietMs` without one.
 */
function createRepeats({ quietMs }: { quietMs: number }) {
  const runs = new BoundedMap<string, Run>(KEYS_MAX)
  return {
    /** Number of repeats, and their entries: the first ones, and the newest. */
    count(
      key: string,
      { arrivedMs, respondedMs, entry }: ObservedRequest,
    ): { again: number; entries: number[] } {
      const run = runs.get(key)
      if (!run || arrivedMs - run.respondedMs > quietMs) {
        runs.set(key, { count: 1, respondedMs, entries: [entry] })
        return { again: 0, entries: [entry] }
      }
      if (arrivedMs >= run.respondedMs + ON_THE_WAY_MS) {
        run.count++
        run.respondedMs = respondedMs
        if (run.entries.length === ENTRIES_MAX) run.entries.pop()
        run.entries.push(entry)
      }
      return { again: run.count - 1, entries: run.entries }
    },
    /** True if the last run has repeats, or has been forgotten. */
    has: (key: string): boolean => runs.get(key)?.count !== 1,
    forget: (key: string) => void runs.delete(key),
  }
}

/** Longest time between the rejection of an original request and the refresh. */
const BEFORE_MS = 10_000
const RETRY_MS = 30_000
const REFUSED_MAX = 50
const CLIENTS_MAX = 200

type Refused = { what: string; shown: string; respondedMs: number; entry: number }
type Race = {
  originals: Refused[]
  lostMs: number
  losers: number
  winners: number
  retried: number
  entries: number[]
}
type Seat = { refused: Refused[]; winnersMs: number[]; race: Race | null; lastMs: number }

/** Checked per program at an address, since it has no valid credential at that time. */
export const refreshRetries: ObserverRule = {
  id: 'client.refresh.retries-after-409',
  advice:
    'After a 409 of /auth/refresh, wait until the winner has set the new cookies, then send the original request again.',
  watch(tools) {
    const seats = new BoundedMap<string, Seat>(CLIENTS_MAX)

    const judge = (client: Client, seat: Seat, race: Race) => {
      seat.race = null
      // A loser that refreshed ahead of time has nothing to retry.
      const allHadOne = race.originals.length >= race.losers + race.winners
      const isThere = seat.lastMs > race.lostMs
      if (!allHadOne || !isThere) return
      if (race.retried >= race.losers) return tools.handled()
      const [original] = race.originals
      tools.report(client, {
        observed: `${race.losers} refresh${race.losers === 1 ? '' : 'es'} returned 409, and of the ${race.originals.length} requests rejected before (such as ${original?.shown}) ${race.retried} were sent again within ${RETRY_MS / 1000} s`,
        evidence: [...race.originals.map(({ entry }) => entry), ...race.entries],
      })
    }
    const lose = (request: ObservedRequest, seat: Seat) => {
      const { client, arrivedMs, respondedMs, entry } = request
      if (seat.race === null) {
        tools.begin()
        const originals = seat.refused.filter((refused) => arrivedMs - refused.respondedMs <= BEFORE_MS)
        const winners = seat.winnersMs.filter((wonMs) => respondedMs - wonMs <= BEFORE_MS).length
        const race: Race = { originals, lostMs: respondedMs, losers: 0, winners, retried: 0, entries: [] }
        seat.race = race
        seat.refused = []
        tools.after(client, RETRY_MS, () => judge(client, seat, race))
      }
      seat.race.losers++
      if (seat.race.entries.length < REFUSED_MAX) seat.race.entries.push(entry)
    }

    return {
      responded(request) {
        const { method, url, route, code, arrivedMs, respondedMs, remoteAddress, userAgent, entry } = request
        const isRefresh = route === '/auth/refresh'
        const isRefused = code === 'credentials_invalid' || code === 'credentials_missing'
        if (seats.size === 0 && !isRefresh && !isRefused) return
        const key = `${remoteAddress} ${userAgent}`
        let seat = seats.get(key)
        if (!seat) {
          if (!isRefresh && !isRefused) return
          seat = { refused: [], winnersMs: [], race: null, lastMs: respondedMs }
          seats.set(key, seat)
        }
        seat.lastMs = Math.max(seat.lastMs, arrivedMs)
        if (isRefresh) {
          if (code === 'refresh_raced') lose(request, seat)
          else if (request.status < 300) {
            if (seat.race) seat.race.winners++
            seat.winnersMs = [...seat.winnersMs, respondedMs].slice(-REFUSED_MAX)
          }
          return
        }
        const what = `${method} ${url}`
        const { race } = seat
        if (race && arrivedMs >= race.lostMs && race.originals.some((original) => original.what === what))
          race.retried++
        else if (isRefused)
          seat.refused = [
            ...seat.refused,
            { what, shown: `${method} ${route ?? '(no route)'}`, respondedMs, entry },
          ].slice(-REFUSED_MAX)
      },
    }
  },
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export const csrfSent: ObserverRule = {
  id: 'client.csrf.sent',
  advice:
    'Send the CSRF token from verify as X-CSRF-Token with each request by cookie that changes something.',
  watch({ countCase, report }) {
    const judge = (request: ObservedRequest | LostRequest) => {
      const { client, method, route, credential, isPublic, hasCsrfToken, entry } = request
      if (credential !== 'session' || isPublic || READS.has(method)) return
      countCase()
      if (hasCsrfToken) return
      report(client, { observed: `${method} ${route} by cookie, without X-CSRF-Token`, evidence: [entry] })
    }
    return { responded: judge, lost: judge }
  },
}

export const messageExact: ObserverRule = {
  id: 'client.message.exact',
  advice: 'Sign the UTF-8 bytes of `data.message` as received: do not trim, normalize or rebuild it.',
  watch: ({ countCase, report }) => ({
    responded({ client, route, status, alteredMessage, entry }) {
      if (route !== '/auth/verify' || (status >= 300 && alteredMessage === null)) return
      countCase()
      if (alteredMessage === null) return
      report(client, { observed: `the signature is over the message ${alteredMessage}`, evidence: [entry] })
    },
  }),
}

export const secretsNotInUrls: ObserverRule = {
  id: 'client.secrets.not-in-urls',
  advice: 'Send credentials only in headers and cookies: URLs end up in logs. Revoke the one that was sent.',
  watch({ countCase, report }) {
    const judge = (request: ObservedRequest | LostRequest) => {
      const { client, method, route, credential, secretInUrl, entry } = request
      // A client without a credential has no secret.
      if (credential === 'none' && secretInUrl === null) return
      countCase()
      if (secretInUrl === null) return
      report(client, {
        observed: `${method} ${route ?? '(no route)'} with ${secretInUrl} in its URL`,
        evidence: [entry],
      })
    }
    return {
      responded: judge,
      lost: judge,
      opened({ client, secretInUrl, entries }) {
        if (secretInUrl === null) return
        countCase()
        report(client, { observed: `a socket opened with ${secretInUrl} in its URL`, evidence: entries })
      },
    }
  },
}
