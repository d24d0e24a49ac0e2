import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { parseQuery } from '../observed.ts'
import { BoundedMap, type ObserverRule } from '../observer-rule.ts'

const CANONICAL = /[?&](limit|offset|amount_in|minimum_revision)=(0|[1-9][0-9]*)(&|$)/

export const inputCanonical: ObserverRule = {
  id: 'client.input.canonical',
  advice: 'Send numbers as plain ASCII digits, and amounts as JSON strings: localize only for display.',
  watch: ({ countCase, report }) => ({
    responded({ client, url, uncanonical, entry }) {
      if (uncanonical.length > 0 || CANONICAL.test(url)) countCase()
      if (uncanonical.length === 0) return
      report(client, { observed: `sent ${uncanonical.join(', ')}, which was rejected`, evidence: [entry] })
    },
  }),
}

export const poolsKeyAsGiven: ObserverRule = {
  id: 'client.pools.key-as-given',
  advice: 'Use the key exactly as the list returned it: percent-encoded once in a path, unchanged in a room.',
  watch: ({ countCase, report }) => ({
    responded({ client, route, status, respelledKey, entry }) {
      if (!route?.startsWith('/pools/:key') || (status >= 400 && respelledKey === null)) return
      countCase()
      if (respelledKey === null) return
      report(client, {
        observed: `requested a pool by another spelling of its key, which is ${JSON.stringify(respelledKey)}`,
        evidence: [entry],
      })
    },
    frame({ client }, frame) {
      if (frame.action !== 'subscribe' || !frame.room.includes(':')) return
      if (frame.refusal !== null && frame.respelledKey === null) return
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

/** Without another page for this long, the client has stopped. */
const STOPPED_MS = 10_000

/** The end of a walk: the page with the last row, or empty ones after it, which have entries. */
type End = { offset: number; respondedMs: number; entries: number[]; stopped: Deadline | null }

export const poolsPagesToEnd: ObserverRule = {
  id: 'client.pools.pages-to-end',
  advice: 'Stop at the first page with empty `data`, or when you have `pagination.total` rows.',
  watch({ begin, handled, after, report }) {
    const ends = new BoundedMap<string, End>(WALKS_MAX)
    const expectStop = (client: Client, end: End) => {
      begin()
      end.stopped = after(client, STOPPED_MS, () => {
        end.stopped = null
        handled()
      })
    }
    return {
      responded(request) {
        const { client, isEmptyPage, arrivedMs, respondedMs, entry } = request
        if (request.route !== '/pools' || !(isEmptyPage || request.isLastPage)) return
        const query = new Map(parseQuery(request.url))
        const offset = Number(query.get('offset') ?? 0)
        const key = `${query.get('limit') ?? ''} ${request.credentialId ?? ''} ${request.remoteAddress} ${request.userAgent}`
        const end = ends.get(key)
        const goesOn =
          end && offset > end.offset && arrivedMs > end.respondedMs && arrivedMs - end.respondedMs < PAUSE_MS
        // The same page again, at an interval: one wait for its end is enough.
        const isAgain = !goesOn && end?.stopped
        const own = isEmptyPage ? [entry] : []
        const entries = goesOn ? [...end.entries, ...own] : own
        const next: End = { offset, respondedMs, entries, stopped: isAgain ? end.stopped : null }
        if (goesOn) end.stopped?.cancel()
        ends.set(key, next)
        if (entries.length <= EMPTY_MAX) {
          if (!isAgain) expectStop(client, next)
          return
        }
        ends.delete(key)
        report(client, {
          observed: `requested ${entries.length} empty pages of /pools in a row, each further on, up to offset ${offset}`,
          evidence: entries,
        })
      },
    }
  },
}
