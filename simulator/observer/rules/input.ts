import { queryOf } from '../observed.ts'
import { BoundedMap, type ObserverRule } from '../observer-rule.ts'

const NUMBERS = /[?&](limit|offset|amount_in|minimum_revision)=/

export const inputCanonical: ObserverRule = {
  id: 'client.input.canonical',
  advice: 'Send numbers as plain ASCII digits, and amounts as JSON strings: localize for display alone.',
  watch: ({ saw, accuse }) => ({
    answered({ client, url, uncanonical, entry }) {
      if (uncanonical.length > 0 || NUMBERS.test(url)) saw()
      if (uncanonical.length === 0) return
      accuse(client, { observed: `sent ${uncanonical.join(', ')}, and was refused`, evidence: [entry] })
    },
  }),
}

export const poolsKeyAsGiven: ObserverRule = {
  id: 'client.pools.key-as-given',
  advice:
    'Use the key exactly as the list gave it, percent-encoded once as a part of a path, as it is in a room.',
  watch: ({ saw, accuse }) => ({
    answered({ client, route, respelledKey, entry }) {
      if (!route?.startsWith('/pools/:key')) return
      saw()
      if (respelledKey === null) return
      accuse(client, {
        observed: `asked for a pool by another spelling of its key, which is ${JSON.stringify(respelledKey)}`,
        evidence: [entry],
      })
    },
    frame({ client }, frame) {
      if (frame.action !== 'subscribe' || !frame.room.includes(':')) return
      saw()
      if (frame.respelledKey === null) return
      accuse(client, {
        observed: `subscribed to ${JSON.stringify(frame.room)}, another spelling of the key ${JSON.stringify(frame.respelledKey)}`,
        evidence: [frame.entry],
      })
    },
  }),
}

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
