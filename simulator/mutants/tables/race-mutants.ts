/**
 * Mutants that need the concurrency of a load. Probes run too few requests at a time to trigger them: the operation log
 * of a load detects them (`breakwater load --mix credentials --mutant NAME`).
 */

import { hurried } from '../conditions.ts'
import type { AuthTools, DeviationTable } from '../deviation.ts'
import { rest, success } from '../reactions.ts'
import { tokens } from './api-token.ts'
import { racing, rotated, sessions } from './session-symptoms.ts'

const LASTS = ['history.session.lasts']
const ENDED = ['history.session.stays-ended']
const TOKEN_LASTS = ['history.token.lasts']
const REVOKED = ['history.token.stays-revoked']

/** So close together as only concurrent requests are. */
export const RACE_MS = 50
/** How long a stale cache is used. */
export const CACHE_MS = 300
/** Rejections and successes of a claim. */
const CLAIMED = [200, 201, 400, 403, 409, 422, 429]

export const RACE_MUTANTS = {
  'race-refresh-two-winners': {
    breaks:
      'of two concurrent refreshes with one token, the second gets a session of its own while others refresh, too',
    rules: ['history.session.one-winner'],
    deviates: sessions((inner, { clock }) => {
      const isCrowded = crowded(clock)
      return racing(inner, (_count, { id, address }) =>
        isCrowded(id) ? rotated(inner.start(address)) : undefined,
      )
    }),
  },
  'race-refresh-ends': {
    breaks: 'a lost race for a refresh ends the session while others refresh, too',
    rules: LASTS,
    deviates: sessions((inner, { clock }) => {
      const isCrowded = crowded(clock)
      return racing(inner, (_count, { id }) => {
        if (isCrowded(id)) inner.end(id)
        return undefined
      })
    }),
  },
  'race-logout-lost': {
    breaks: 'a logout has no effect while other sessions log out',
    rules: ENDED,
    deviates: sessions((inner, { clock }) => {
      const isCrowded = crowded(clock)
      return { end: (id) => void (isCrowded(id) || inner.end(id)) }
    }),
  },
  'race-logout-refreshed': {
    breaks: 'a logout has no effect on a session that is refreshed at the same time',
    rules: ENDED,
    deviates: sessions((inner, { clock }) => {
      const refreshed = recent<string>(clock)
      return {
        end: (id) => void (refreshed.has(id) || inner.end(id)),
        refresh(token) {
          const result = inner.refresh(token)
          if (result.outcome === 'rotated')
            refreshed.add(inner.byAccessToken(result.grant.accessToken)?.id ?? '')
          return result
        },
      }
    }),
  },
  'race-logout-cached': {
    breaks: 'a session that is read during its logout can be read for another 300 ms',
    rules: ENDED,
    deviates: sessions((inner, { clock }) => {
      const cache = cached<NonNullable<ReturnType<typeof inner.byAccessToken>>>(clock)
      return {
        byAccessToken: (token) => cache.get(token, inner.byAccessToken(token)),
        end(id) {
          inner.end(id)
          cache.end(({ id: other }) => other === id)
        },
      }
    }),
  },
  'race-logout-other': {
    breaks: 'a logout also ends another session that the wallet has just begun',
    rules: LASTS,
    deviates: sessions((inner, { clock }) => {
      const begun = recent<string>(clock, CACHE_MS)
      return {
        start(address) {
          const grant = inner.start(address)
          begun.add(inner.byAccessToken(grant.accessToken)?.id ?? '')
          return grant
        },
        end(id) {
          const address = inner.byId(id)?.address
          inner.end(id)
          inner.end(begun.list().findLast((other) => inner.byId(other)?.address === address) ?? '')
        },
      }
    }),
  },
  'race-token-revoke-lost': {
    breaks: 'a revocation has no effect while the wallet creates another API token',
    rules: REVOKED,
    deviates: tokens((inner, { clock }) => {
      const creators = recent<string>(clock)
      return {
        create(request) {
          creators.add(request.address)
          return inner.create(request)
        },
        revoke: (request) => creators.has(request.address) || inner.revoke(request),
      }
    }),
  },
  'race-token-revoke-cached': {
    breaks: 'an API token that is used during its revocation works for another 300 ms',
    rules: REVOKED,
    deviates: tokens((inner, { clock }) => {
      const cache = cached<NonNullable<ReturnType<typeof inner.bySecret>>>(clock)
      return {
        bySecret: (secret) => cache.get(secret, inner.bySecret(secret)),
        byId: (id) => inner.byId(id) ?? cache.list().find((token) => token.id === id),
        revoke(request) {
          const isRevoked = inner.revoke(request)
          if (isRevoked) cache.end(({ id }) => id === request.id)
          return isRevoked
        },
      }
    }),
  },
  'race-token-flickers': {
    breaks: 'the other API tokens of a wallet are unknown for a moment after a revocation',
    rules: TOKEN_LASTS,
    deviates: tokens((inner, { clock }) => {
      const revokers = recent<string>(clock)
      return {
        bySecret(secret) {
          const token = inner.bySecret(secret)
          return token && revokers.has(token.address) ? undefined : token
        },
        revoke(request) {
          const isRevoked = inner.revoke(request)
          if (isRevoked) revokers.add(request.address)
          return isRevoked
        },
      }
    }),
  },
  'race-token-revoke-newest': {
    breaks: 'a revocation also revokes the API token that the wallet has just created',
    rules: TOKEN_LASTS,
    deviates: tokens((inner, { clock }) => {
      const created = recent<string>(clock)
      return {
        create(request) {
          const token = inner.create(request)
          if (token) created.add(token.info.id)
          return token
        },
        revoke(request) {
          for (const id of created.list()) inner.revoke({ ...request, id })
          return inner.revoke(request) || created.has(request.id)
        },
      }
    }),
  },
  'race-faucet-twice': {
    breaks: 'the faucet accepts two concurrent claims of an address',
    rules: ['history.faucet.once'],
    deviates: rest(({ profile }) => `POST ${profile.faucet.path}`, {
      of: CLAIMED,
      when: hurried(RACE_MS, ({ request }) => JSON.stringify(request.body)),
      reply: success(() => ({ data: { status: 'broadcast' } })),
    }),
  },
  'race-faucet-crowd': {
    breaks: 'the faucet accepts any claim while another address claims',
    rules: ['history.faucet.once'],
    deviates: rest(({ profile }) => `POST ${profile.faucet.path}`, {
      of: CLAIMED,
      when: () => {
        let isCrowded: ReturnType<typeof crowded> | undefined
        return ({ clock, request }) => {
          isCrowded ??= crowded(clock)
          return isCrowded(JSON.stringify(request.body))
        }
      },
      reply: success(() => ({ data: { status: 'broadcast' } })),
    }),
  },
} as const satisfies DeviationTable

type Clock = AuthTools['clock']

/** Returns true if another key came within the last moment. */
export function crowded(clock: Clock, forMs = 2 * RACE_MS): (key: string) => boolean {
  const keys = recent<string>(clock, forMs)
  return (key) => {
    const isCrowded = keys.list().some((other) => other !== key)
    keys.add(key)
    return isCrowded
  }
}

function recent<Item>(clock: Clock, forMs = RACE_MS) {
  const atMs = new Map<Item, number>()
  const list = () => {
    for (const [item, addedMs] of atMs) if (clock.nowMs() - addedMs > forMs) atMs.delete(item)
    return [...atMs.keys()]
  }
  return {
    add: (item: Item) => void atMs.set(item, clock.nowMs()),
    has: (item: Item) => list().includes(item),
    list,
  }
}

/** Credentials that were read just before they ended, by their secret. */
function cached<Info>(clock: Clock) {
  const read = new Map<string, { info: Info; readMs: number; endedMs: number | null }>()
  const isStale = ({ readMs, endedMs }: { readMs: number; endedMs: number | null }) =>
    clock.nowMs() - (endedMs ?? readMs) > (endedMs === null ? RACE_MS : CACHE_MS)
  const drop = () => {
    for (const [secret, entry] of read) if (isStale(entry)) read.delete(secret)
  }
  return {
    get(secret: string, info: Info | undefined): Info | undefined {
      drop()
      if (info !== undefined) read.set(secret, { info, readMs: clock.nowMs(), endedMs: null })
      return info ?? read.get(secret)?.info
    },
    end(isEnded: (info: Info) => boolean): void {
      drop()
      for (const entry of read.values()) if (isEnded(entry.info)) entry.endedMs = clock.nowMs()
    },
    list: () => [...read.values()].map(({ info }) => info),
  }
}
