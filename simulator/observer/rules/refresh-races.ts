import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import type { ObservedRequest } from '../observed.ts'
import { BoundedMap, type ObserverRule } from '../observer-rule.ts'
import { ON_THE_WAY_MS } from './credentials.ts'

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
  /** Originals that were sent again, each counted once: a tab that polls sends the same for itself. */
  repeated: Set<Refused>
  entries: number[]
  deadline: Deadline
}
type Seat = {
  refused: Refused[]
  winners: { digest: string | null; respondedMs: number }[]
  race: Race | null
  lastMs: number
  /** End of the longest wait that a 429 required: until then, a loser may wait with its retry too. */
  freeMs: number
}

/** Checked per program at an address, since it has no valid credential at that time. */
export const refreshRetries: ObserverRule = {
  id: 'client.refresh.retries-after-409',
  advice:
    'After a 409 of /auth/refresh, wait until the winner has set the new cookies, then send the original request again.',
  watch(tools) {
    const seats = new BoundedMap<string, Seat>(CLIENTS_MAX)

    const judge = (client: Client, seat: Seat, race: Race) => {
      const limitedForMs = seat.freeMs + RETRY_MS - tools.nowMs()
      if (limitedForMs > 0 && race.repeated.size < race.losers) {
        race.deadline = tools.after(client, limitedForMs, () => judge(client, seat, race))
        return
      }
      seat.race = null
      // A loser that refreshed ahead of time has nothing to retry, and one without a winner has no one to wait for.
      const originals = [...race.originals, ...race.others]
      const allHadOne = originals.length >= race.losers + race.winners
      const isThere = seat.lastMs > race.lostMs
      if (!allHadOne || !isThere || !race.isWon) return
      if (race.repeated.size >= race.losers) return tools.handled()
      const [original] = originals
      tools.report(client, {
        observed: `${race.losers} refresh${race.losers === 1 ? '' : 'es'} returned 409, and of the ${originals.length} requests rejected until then (such as ${original?.shown}) ${race.repeated.size} were sent again within ${RETRY_MS / 1000} s`,
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
          repeated: new Set(),
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
        const { method, url, route, status, code, arrivedMs, respondedMs, retryAfterMs } = request
        const isRefresh = route === '/auth/refresh'
        const isRefused = code === 'credentials_invalid' || code === 'credentials_missing'
        const isFirst = isRefresh || isRefused || status === 429
        if (seats.size === 0 && !isFirst) return
        const key = `${request.remoteAddress} ${request.userAgent}`
        let seat = seats.get(key)
        if (!seat) {
          if (!isFirst) return
          seat = { refused: [], winners: [], race: null, lastMs: respondedMs, freeMs: 0 }
          seats.set(key, seat)
        }
        seat.lastMs = Math.max(seat.lastMs, arrivedMs)
        if (status === 429) seat.freeMs = Math.max(seat.freeMs, respondedMs + (retryAfterMs ?? 0))
        if (isRefresh) {
          if (code === 'refresh_raced') lose(request, seat)
          else if (status < 300) win(request, seat)
          return
        }
        const what = `${method} ${url}`
        const { race } = seat
        const original =
          race &&
          [...race.originals, ...race.others].find((one) => one.what === what && !race.repeated.has(one))
        if (race && !race.isWon && isRefused) noteLast(race.others, describe(request))
        else if (race && original && arrivedMs >= race.lostMs) race.repeated.add(original)
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
