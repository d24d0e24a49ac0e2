import { parseQuery } from '../observed.ts'
import { BoundedMap, type ObserverRule } from '../observer-rule.ts'

const NUMBERS = /[?&](limit|offset|amount_in|minimum_revision)=/

export const inputCanonical: ObserverRule = {
  id: 'client.input.canonical',
  advice: 'Send numbers as plain ASCII digits, and amounts as JSON strings: localize only for display.',
  watch: ({ countCase, report }) => ({
    responded({ client, url, uncanonical, entry }) {
      if (uncanonical.length > 0 || NUMBERS.test(url)) countCase()
      if (uncanonical.length === 0) return
      report(client, { observed: `sent ${uncanonical.join(', ')}, which was rejected`, evidence: [entry] })
    },
  }),
}

export const poolsKeyAsGiven: ObserverRule = {
  id: 'client.pools.key-as-given',
  advice: 'Use the key exactly as the list returned it: percent-encoded once in a path, unchanged in a room.',
  watch: ({ countCase, report }) => ({
    responded({ client, route, respelledKey, entry }) {
      if (!route?.startsWith('/pools/:key')) return
      countCase()
      if (respelledKey === null) return
      report(client, {
        observed: `requested a pool by another spelling of its key, which is ${JSON.stringify(respelledKey)}`,
        evidence: [entry],
      })
    },
    frame({ client }, frame) {
      if (frame.action !== 'subscribe' || !frame.room.includes(':')) return
      countCase()
      if (frame.respelledKey === null) return
      report(client, {
        observed: `subscribed to ${JSON.stringify(frame.room)}, another spelling of the key ${JSON.stringify(frame.respelledKey)}`,
        evidence: [frame.entry],
      })
    },
  }),
}

/** Two walks through the list may each reach its end once. */
const EMPTY_MAX = 2
const WALKS_MAX = 200
/** Walks that are further apart are unrelated. */
const PAUSE_MS = 60_000

type End = { offset: number; respondedMs: number; entries: number[] }

export const poolsPagesToEnd: ObserverRule = {
  id: 'client.pools.pages-to-end',
  advice: 'Stop at the first page with empty `data`, or when you have `pagination.total` rows.',
  watch({ countCase, report }) {
    const ends = new BoundedMap<string, End>(WALKS_MAX)
    return {
      responded({ client, route, isEmptyPage, url, arrivedMs, respondedMs, entry, ...by }) {
        if (route !== '/pools' || !isEmptyPage) return
        countCase()
        const query = new Map(parseQuery(url))
        const offset = Number(query.get('offset') ?? 0)
        const key = `${query.get('limit') ?? ''} ${by.credentialId ?? ''} ${by.remoteAddress} ${by.userAgent}`
        const end = ends.get(key)
        const goesOn =
          end && offset > end.offset && arrivedMs > end.respondedMs && arrivedMs - end.respondedMs < PAUSE_MS
        const entries = goesOn ? [...end.entries, entry] : [entry]
        ends.set(key, { offset, respondedMs, entries })
        if (entries.length <= EMPTY_MAX) return
        ends.delete(key)
        report(client, {
          observed: `requested ${entries.length} empty pages of /pools in a row, each further on, up to offset ${offset}`,
          evidence: entries,
        })
      },
    }
  },
}
