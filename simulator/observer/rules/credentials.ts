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
        const isAccepted = credential !== 'none' && credential !== 'invalid' && status !== 401
        if (isAccepted ? rejected.size === 0 : refusedDigest === null) return
        const seat = `${remoteAddress} ${userAgent}`
        if (isAccepted) noteReplaced(seat, request)
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
export const ON_THE_WAY_MS = 250
const KEYS_MAX = 200
const CLIENTS_MAX = 200
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
