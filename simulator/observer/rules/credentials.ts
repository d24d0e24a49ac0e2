import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { type LostRequest, type ObservedRequest, parsePath, sameRequest } from '../observed.ts'
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
    'After a 403, stop and tell the user that the wallet needs access: the same request gets the same response.',
  watch({ begin, handled, after, report }) {
    const repeats = createRepeats({ quietMs: QUIET_MS })
    return {
      responded(request) {
        const { client, status, code, isPublic, credentialId, deniedWallet, method, route } = request
        if (status !== 403 || (isPublic && deniedWallet === null)) return
        // Without access, no request helps; for another reason, this one does not.
        const lacksAccess = code === 'access_required'
        const key = lacksAccess
          ? `${credentialId ?? deniedWallet} ${request.remoteAddress} ${request.userAgent}`
          : sameRequest(request)
        const { again, entries } = repeats.count(key, request)
        if (again === 0) {
          begin()
          after(client, QUIET_MS, () => {
            const hasReadAgain = (client.reads.get(parsePath(request.url)) ?? 0) > request.respondedMs
            if (!repeats.has(key) && !hasReadAgain) handled()
          })
        }
        if (again <= FORBIDDEN_AGAIN_MAX) return
        repeats.forget(key)
        const what = lacksAccess ? 'a wallet without access' : `${method} ${route ?? '(no route)'}`
        report(client, {
          observed: `${what} got 403 ${again + 1} times, each time after the previous response`,
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

type Refused = Pick<ObservedRequest, 'arrivedMs' | 'respondedMs' | 'connection' | 'entry'> & {
  what: string
  shown: string
}
type Race = {
  /** Digest of the refresh token: the winner has the same. */
  digest: string | null
  /** Rejected before the first 409. */
  originals: Refused[]
  /** Rejected after it, while the response to the winner was on its way. */
  others: Refused[]
  /** Lost in that time, by clients that had the 409. */
  refreshes: Refused[]
  lostMs: number
  /** Connection of the first 409. */
  connection: number | null
  losers: number
  winners: number
  /** True once the response to the winner has been sent. */
  isWon: boolean
  retried: number
  entries: number[]
  deadline: Deadline
}
type Seat = {
  refused: Refused[]
  winners: { digest: string | null; respondedMs: number }[]
  race: Race | null
  lastMs: number
}

/** Checked per program at an address, since it has no valid credential at that time. */
export const refreshRetries: ObserverRule = {
  id: 'client.refresh.retries-after-409',
  advice:
    'After a 409 of /auth/refresh, wait until the winner has set the new cookies, then send the original request again.',
  watch(tools) {
    const seats = new BoundedMap<string, Seat>(CLIENTS_MAX)

    const judge = (client: Client, seat: Seat, race: Race) => {
      seat.race = null
      // A loser that refreshed ahead of time has nothing to retry, and one without a winner has no one to wait for.
      const originals = [...race.originals, ...race.others]
      const allHadOne = originals.length >= race.losers + race.winners
      const isThere = seat.lastMs > race.lostMs
      if (!allHadOne || !isThere || !race.isWon) return
      if (race.retried >= race.losers) return tools.handled()
      const [original] = originals
      tools.report(client, {
        observed: `${race.losers} refresh${race.losers === 1 ? '' : 'es'} returned 409, and of the ${originals.length} requests rejected until then (such as ${original?.shown}) ${race.retried} were sent again within ${RETRY_MS / 1000} s`,
        evidence: [...originals.map(({ entry }) => entry), ...race.entries],
      })
    }
    const lose = (request: ObservedRequest, seat: Seat) => {
      const { client, refreshDigest: digest, arrivedMs, respondedMs, connection, entry } = request
      if (seat.race === null) {
        tools.begin()
        const originals = seat.refused.filter((refused) => arrivedMs - refused.respondedMs <= BEFORE_MS)
        const won = seat.winners.filter((winner) => respondedMs - winner.respondedMs <= BEFORE_MS)
        const race: Race = {
          digest,
          originals,
          others: [],
          refreshes: [],
          lostMs: respondedMs,
          connection,
          losers: 0,
          winners: won.length,
          isWon: seat.winners.some((winner) => winner.digest === digest),
          retried: 0,
          entries: [],
          deadline: tools.after(client, RETRY_MS, () => judge(client, seat, race)),
        }
        seat.race = race
        seat.refused = []
      } else if (!seat.race.isWon && seat.race.digest === digest && isTold(request, seat.race))
        noteLast(seat.race.refreshes, describe(request))
      seat.race.losers++
      if (seat.race.entries.length < REFUSED_MAX) seat.race.entries.push(entry)
    }
    const win = ({ client, refreshDigest, respondedMs, entry }: ObservedRequest, seat: Seat) => {
      const { race } = seat
      seat.winners = [...seat.winners, { digest: refreshDigest, respondedMs }].slice(-REFUSED_MAX)
      if (!race) return
      race.winners++
      if (race.isWon || race.digest !== refreshDigest) return
      race.isWon = true
      race.deadline.cancel()
      const hasty = findHasty(race)
      if (hasty.length === 0) {
        race.deadline = tools.after(client, RETRY_MS, () => judge(client, seat, race))
        return
      }
      seat.race = null
      tools.report(client, {
        observed: `after the 409 of a refresh, ${hasty[0]?.shown} was sent ${hasty.length} more times before the winner had its response`,
        evidence: [...race.entries, ...hasty.map((one) => one.entry), entry],
      })
    }

    return {
      responded(request) {
        const { method, url, route, code, arrivedMs, respondedMs, remoteAddress, userAgent } = request
        const isRefresh = route === '/auth/refresh'
        const isRefused = code === 'credentials_invalid' || code === 'credentials_missing'
        if (seats.size === 0 && !isRefresh && !isRefused) return
        const key = `${remoteAddress} ${userAgent}`
        let seat = seats.get(key)
        if (!seat) {
          if (!isRefresh && !isRefused) return
          seat = { refused: [], winners: [], race: null, lastMs: respondedMs }
          seats.set(key, seat)
        }
        seat.lastMs = Math.max(seat.lastMs, arrivedMs)
        if (isRefresh) {
          if (code === 'refresh_raced') lose(request, seat)
          else if (request.status < 300) win(request, seat)
          return
        }
        const what = `${method} ${url}`
        const { race } = seat
        const isAgain = race && [...race.originals, ...race.others].some((original) => original.what === what)
        if (race && !race.isWon && isRefused) noteLast(race.others, describe(request))
        else if (race && isAgain && arrivedMs >= race.lostMs) race.retried++
        else if (isRefused) noteLast(seat.refused, describe(request))
      },
    }
  },
}

function describe({ method, url, route, ...request }: ObservedRequest): Refused {
  const { arrivedMs, respondedMs, connection, entry } = request
  const shown = `${method} ${route ?? '(no route)'}`
  return { what: `${method} ${url}`, shown, arrivedMs, respondedMs, connection, entry }
}

function noteLast(list: Refused[], one: Refused): void {
  list.push(one)
  if (list.length > REFUSED_MAX) list.shift()
}

/** One may be in flight or another tab’s. */
const HASTY_MIN = 2

/** True if the loser had its 409 when it sent this. */
function isTold({ arrivedMs, connection }: Pick<Refused, 'arrivedMs' | 'connection'>, race: Race): boolean {
  const isOwn = connection !== null && connection === race.connection
  return arrivedMs >= (isOwn ? race.lostMs : race.lostMs + ON_THE_WAY_MS)
}

/**
 * Repeats of the same request, or of the refresh, one after another. A tab that opens in that time sends a request and a
 * refresh, so each one of the other kind explains one.
 */
function findHasty(race: Race): Refused[] {
  const others = race.others.filter((one) => isTold(one, race))
  const repeats = race.originals.map(({ what }) => others.filter((one) => one.what === what))
  for (const [again, explained] of [
    ...repeats.map((same) => [same, race.refreshes] as const),
    [race.refreshes, others] as const,
  ]) {
    const inTurn: Refused[] = []
    for (const one of again) if (one.arrivedMs >= (inTurn.at(-1)?.respondedMs ?? 0)) inTurn.push(one)
    if (inTurn.length - explained.length >= HASTY_MIN) return inTurn
  }
  return []
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
