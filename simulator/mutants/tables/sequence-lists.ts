/** Lists, routes, revisions, faucet and referral codes that go wrong only after other steps. */

import type { Choices } from '../../choices/choices.ts'
import { valueAt } from '../../demo-client.ts'
import type { Deviation } from '../deviation.ts'
import { edit, error, type Fields, rest, rewrite, success } from '../reactions.ts'
import { faucet } from './limits.ts'
import { callerOf, countUp, isSuccess, remembering, routeOf, type SequenceTable } from './sequence-table.ts'

const SWAPS = 'GET /swaps'
const POOLS = 'GET /pools'
const CODES = 'GET /referral/codes'
const STATE = 'GET /protocol/state'
const redeem = ({ profile }: Choices) => `POST ${profile.referral.redeemPath}`

export const SEQUENCE_PAGE_MUTANTS = {
  'sequence-filtered-total-stale': {
    breaks: 'the total of filtered /swaps stays that of the first time a wallet used the filter',
    states: 'Data and trading endpoints: /swaps has pagination with a total',
    rules: ['paging.swaps.complete'],
    deviates: remembering(SWAPS, () => {
      const totals = new Map<string, unknown>()
      return (incoming) => {
        const { query, choices, body } = incoming
        const filter = query.get(choices.profile.swapsPoolFilter)
        if (!isSuccess(incoming) || filter === null) return undefined
        const key = `${callerOf(incoming).address} ${filter}`
        if (!totals.has(key)) totals.set(key, valueAt(body, 'pagination.total'))
        return edit((body) => Object.assign(body.pagination as Fields, { total: totals.get(key) })) // as: bodies of the stub
      }
    }),
  },
  'sequence-filter-shares-later-pages': {
    breaks:
      'a page of filtered /swaps with an offset is that of the filter with which the wallet last read the same page',
    states: 'Data and trading endpoints: /swaps has a filter by pool',
    rules: ['paging.swaps.filter'],
    deviates: remembering(SWAPS, () => {
      const pages = new Map<string, { filter: string; data: unknown }>()
      return (incoming) => {
        const { query, choices, body } = incoming
        const filter = query.get(choices.profile.swapsPoolFilter)
        const offset = query.get('offset') ?? '0'
        if (!isSuccess(incoming) || filter === null || offset === '0') return undefined
        const key = `${callerOf(incoming).address} ${query.get('limit')} ${offset}`
        const known = pages.get(key)
        pages.set(key, { filter, data: body?.data })
        if (!known || known.filter === filter) return undefined
        return edit((body) => Object.assign(body, { data: known.data }))
      }
    }),
  },
  'sequence-pools-total-frozen': {
    breaks: 'the total of /pools in pages of 50 and more stays that of the first such page',
    states: 'Public pool and token endpoints: /pools has pagination with a total',
    rules: ['paging.pools.complete'],
    deviates: remembering(POOLS, () => {
      let total: unknown
      return (incoming) => {
        if (!isSuccess(incoming) || Number(incoming.query.get('limit')) < 50) return undefined
        total ??= valueAt(incoming.body, 'pagination.total')
        return edit((body) => Object.assign(body.pagination as Fields, { total })) // as: bodies of the stub
      }
    }),
  },
  'sequence-row-doubled-when-limit-changes': {
    breaks:
      '/pools rounds the offset down to a multiple of the limit if the page before it had another limit',
    states: 'Public pool and token endpoints: clients page /pools until all rows are returned',
    rules: ['paging.pools.complete'],
    deviates: rest(POOLS, {
      when: () => {
        let before = { limit: 0, offset: 0 }
        return ({ query }) => {
          const page = { limit: Number(query.get('limit')), offset: Number(query.get('offset')) }
          const isNext = page.offset === before.offset + before.limit && page.limit !== before.limit
          before = page
          return isNext && page.limit > 0
        }
      },
      request: rewrite((query) => {
        const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))]
        query.set('offset', String(offset - (offset % limit)))
      }),
    }),
  },
} as const satisfies SequenceTable

export const SEQUENCE_ROUTE_MUTANTS = {
  'sequence-pending-served-at-fifth-try': {
    breaks: 'the fifth request for the same pending revision is served with an older one',
    states: 'Errors, 503: /protocol/state with a revision that is pending',
    rules: ['protocol.pending.503'],
    deviates: remembering(STATE, () => {
      const tries = new Map<string, number>()
      let served: string | undefined
      return (incoming) => {
        if (isSuccess(incoming)) served = JSON.stringify(incoming.body)
        const minimum = incoming.query.get('minimum_revision') ?? ''
        if (incoming.status !== 503 || countUp(tries, minimum) < 5 || served === undefined) return undefined
        const body = JSON.parse(served)
        return success(() => body)
      }
    }),
  },
  'sequence-route-404-remembered': {
    breaks: 'after two 404s for a token, the credential gets no route from that token',
    states: 'Route rules: a 404 means that no route is available',
    rules: ['route.none.404'],
    deviates: remembering('GET /route', () => {
      const misses = new Map<string, number>()
      return (incoming) => {
        const key = `${callerOf(incoming).id} ${incoming.query.get('token_in')}`
        if (incoming.status === 404) countUp(misses, key)
        return isSuccess(incoming) && (misses.get(key) ?? 0) >= 2 ? error(404) : undefined
      }
    }),
  },
} as const satisfies SequenceTable

export const SEQUENCE_CLAIM_MUTANTS = {
  'sequence-faucet-forgets-after-three': {
    breaks: 'an address may claim again once three other addresses have claimed',
    states: 'Limits: the faucet accepts one claim per address per 15 minutes',
    rules: ['faucet.claim.once'],
    deviates: claimsForgottenAfter(3),
  },
  'sequence-codes-open-after-redeem': {
    breaks: 'a wallet that has redeemed a referral code may read the inventory',
    states: 'Admin endpoints: /referral/codes needs an administrator',
    rules: ['admin.codes.refused-to-others'],
    deviates: remembering(
      (choices) => [redeem(choices), CODES],
      () => {
        const redeemed = new Set<string>()
        return (incoming) => {
          const { address } = callerOf(incoming)
          const isInventory = routeOf(incoming) === CODES
          if (!isInventory && isSuccess(incoming)) redeemed.add(address)
          if (!isInventory || incoming.status !== 403 || !redeemed.has(address)) return undefined
          const total = incoming.auth.referrals.list().length
          return success(() => ({ data: { total, available: total - 1, redeemed: 1, codes: [] } }))
        }
      },
    ),
  },
} as const satisfies SequenceTable

/** An address may claim again once `others` other addresses have: each time it gets another transaction. */
export function claimsForgottenAfter(others: number): Deviation {
  return remembering(faucet, () => {
    const claims = new Map<string, string>()
    return (incoming) => {
      const { request, choices, body } = incoming
      const fields = request.body as Fields | undefined // as: a JSON object
      const address = String(fields?.[choices.profile.faucet.address])
      if (isSuccess(incoming)) {
        claims.delete(address)
        claims.set(address, JSON.stringify(body))
      }
      const claim = claims.get(address)
      if (isSuccess(incoming) || claim === undefined || [...claims.keys()].slice(-others).includes(address))
        return undefined
      claims.delete(address)
      claims.set(address, claim)
      return success(() => {
        const { data } = JSON.parse(claim)
        return { data: { ...data, tx_id: crypto.randomUUID() } }
      })
    }
  })
}
