import { BoundedMap } from '../bounded-map.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { queryOf } from '../url-parts.ts'

/** Two walks over the list may each meet its end once. */
const EMPTY_MAX = 2
const WALKS_MAX = 200
/** Walks that are further apart have nothing to do with each other. */
const PAUSE_MS = 60_000

type End = { offset: number; answeredMs: number; entries: number[] }

export const poolsPagesToEnd: ObserverRule = {
  id: 'client.pools.pages-to-end',
  advice: 'Stop at the first page whose `data` is empty, or once `pagination.total` rows are there.',
  watch({ saw, accuse }) {
    const ends = new BoundedMap<string, End>(WALKS_MAX)
    return {
      answered({ client, route, isEmptyPage, url, arrivedMs, answeredMs, entry, ...by }) {
        if (route !== '/pools' || !isEmptyPage) return
        saw()
        const query = new Map(queryOf(url))
        const offset = Number(query.get('offset') ?? 0)
        const key = `${query.get('limit') ?? ''} ${by.credentialId ?? ''} ${by.remoteAddress} ${by.userAgent}`
        const end = ends.get(key)
        const goesOn =
          end && offset > end.offset && arrivedMs > end.answeredMs && arrivedMs - end.answeredMs < PAUSE_MS
        const entries = goesOn ? [...end.entries, entry] : [entry]
        ends.set(key, { offset, answeredMs, entries })
        if (entries.length <= EMPTY_MAX) return
        ends.delete(key)
        accuse(client, {
          observed: `asked for ${entries.length} empty pages of /pools in a row, each further on, up to offset ${offset}`,
          evidence: entries,
        })
      },
    }
  },
}
