import { BoundedMap } from '../bounded-map.ts'
import type { Client } from '../client.ts'
import type { ObservedRequest } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'

/** An original request was refused so shortly before the refresh. */
const BEFORE_MS = 10_000
const RETRY_MS = 30_000
const REFUSED_MAX = 50
const CLIENTS_MAX = 200

type Refused = { what: string; shown: string; answeredMs: number; entry: number }
type Race = {
  originals: Refused[]
  lostMs: number
  losers: number
  winners: number
  retried: number
  entries: number[]
}
type Seat = { refused: Refused[]; winnersMs: number[]; race: Race | null; lastMs: number }

/** Judged for each program at an address, as it has no valid credential meanwhile. */
export const refreshRetries: ObserverRule = {
  id: 'client.refresh.retries-after-409',
  advice:
    'After a 409 of /auth/refresh wait until the winner has set the new cookies, then send the original request again.',
  watch(tools) {
    const seats = new BoundedMap<string, Seat>(CLIENTS_MAX)

    const judge = (client: Client, seat: Seat, race: Race) => {
      seat.race = null
      // A loser without an original, which refreshed ahead of time, has nothing to retry.
      const allHadOne = race.originals.length >= race.losers + race.winners
      const isThere = seat.lastMs > race.lostMs
      if (!allHadOne || !isThere || race.retried >= race.losers) return
      const [original] = race.originals
      tools.accuse(client, {
        observed: `${race.losers} refresh${race.losers === 1 ? '' : 'es'} answered 409, and of the ${race.originals.length} requests refused before (such as ${original?.shown}) ${race.retried} came again within ${RETRY_MS / 1000} s`,
        evidence: [...race.originals.map(({ entry }) => entry), ...race.entries],
      })
    }
    const lose = (request: ObservedRequest, seat: Seat) => {
      const { client, arrivedMs, answeredMs, entry } = request
      tools.saw()
      if (seat.race === null) {
        const originals = seat.refused.filter((refused) => arrivedMs - refused.answeredMs <= BEFORE_MS)
        const winners = seat.winnersMs.filter((wonMs) => answeredMs - wonMs <= BEFORE_MS).length
        const race: Race = { originals, lostMs: answeredMs, losers: 0, winners, retried: 0, entries: [] }
        seat.race = race
        seat.refused = []
        tools.after(client, RETRY_MS, () => judge(client, seat, race))
      }
      seat.race.losers++
      if (seat.race.entries.length < REFUSED_MAX) seat.race.entries.push(entry)
    }

    return {
      answered(request) {
        const { method, url, route, code, arrivedMs, answeredMs, remoteAddress, userAgent, entry } = request
        const isRefresh = route === '/auth/refresh'
        const isRefused = code === 'credentials_invalid' || code === 'credentials_missing'
        if (seats.size === 0 && !isRefresh && !isRefused) return
        const key = `${remoteAddress} ${userAgent}`
        let seat = seats.get(key)
        if (!seat) {
          if (!isRefresh && !isRefused) return
          seat = { refused: [], winnersMs: [], race: null, lastMs: answeredMs }
          seats.set(key, seat)
        }
        seat.lastMs = Math.max(seat.lastMs, arrivedMs)
        if (isRefresh) {
          if (code === 'refresh_raced') lose(request, seat)
          else if (request.status < 300) {
            if (seat.race) seat.race.winners++
            seat.winnersMs = [...seat.winnersMs, answeredMs].slice(-REFUSED_MAX)
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
            { what, shown: `${method} ${route ?? '(no route)'}`, answeredMs, entry },
          ].slice(-REFUSED_MAX)
      },
    }
  },
}
