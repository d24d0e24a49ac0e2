/** Slips of parsers, lookups and formats: routes, keys, claims and errors that show only for unusual requests. */

import { valueAt } from '../../demo-client.ts'
import { between, by, hurried, only } from '../conditions.ts'
import type { DeviationRequest, DeviationTable } from '../deviation.ts'
import { edit, editRows, error, type Fields, rest, rewrite, setAt, success } from '../reactions.ts'
import { claimAgain, faucet, readAddress } from './limits.ts'
import { RACE_MS } from './race-mutants.ts'

const ROUTE = 'GET /route'
const POOL = 'GET /pools/:key'
const EXPLORE = 'GET /explore/pools'
const CLAIMED = [200, 201, 400, 403, 409, 422, 429]
const INFOS = ['input_token_info', 'output_token_info'] as const
const PENDING_INFOS = ['token_in_info', 'token_out_info'] as const
const NO_POOL = [400, 404, 410]

export const RECORD_SYMPTOMS = {
  'route-amount-bigint': {
    breaks: '/route takes every amount that JavaScript reads as a BigInt, and returns 500 for others',
    rules: ['route.amount.canonical'],
    deviates: {
      rest: [
        ...(rest(ROUTE, {
          request: rewrite((query) => {
            const amount = query.get('amount_in') ?? ''
            if (isBigInt(amount)) query.set('amount_in', String(BigInt(amount)))
          }),
        }).rest ?? []),
        ...(failsFor((amount) => !isBigInt(amount)).rest ?? []),
      ],
    },
  },
  'route-amount-unparsed-500': {
    breaks: '/route returns 500 for an amount with other characters than digits',
    rules: ['route.amount.canonical'],
    deviates: failsFor((amount) => /[^0-9]/.test(amount)),
  },
  'auth-session-route-403': {
    breaks: '/route returns 403 to a session, and serves API tokens',
    rules: ['auth.verify.signs-in'],
    deviates: rest(ROUTE, { when: by('session'), of: [200, 400, 404], reply: error(403) }),
  },
  'route-unlisted-500': {
    breaks: '/route returns 500 for a token that is not listed',
    rules: ['route.none.404'],
    deviates: rest(ROUTE, { of: [400, 404], when: only(isUnlisted), reply: error(500) }),
  },
  'paging-key-unknown-500': {
    breaks: '/pools/{key} returns 500 for a key that is not listed',
    rules: ['paging.key.round-trip'],
    deviates: rest(POOL, { of: NO_POOL, reply: error(500) }),
  },
  'paging-key-prefix': {
    breaks: '/pools/{key} finds a pool by the beginning of its key',
    rules: ['paging.key.round-trip'],
    deviates: rest(POOL, { of: NO_POOL, when: only(isPrefix), reply: success(findByPrefix) }),
  },
  'faucet-twice-at-once': {
    breaks: 'the faucet accepts two claims of an address at the same time',
    rules: ['faucet.claim.once'],
    deviates: rest(faucet, {
      of: CLAIMED,
      when: hurried(RACE_MS, ({ request }) => JSON.stringify(request.body)),
      reply: success(claimAgain),
    }),
  },
  'faucet-space-after': {
    breaks: 'the faucet accepts another claim of an address with a space after it',
    rules: ['faucet.claim.once'],
    deviates: rest(faucet, {
      of: CLAIMED,
      when: only((incoming) => readAddress(incoming).endsWith(' ')),
      reply: success(claimAgain),
    }),
  },
  'wire-explore-tokens-number': {
    breaks: 'the tokens of /explore have prices and volumes that are JSON numbers',
    rules: ['wire.open-reads.exact'],
    deviates: rest(({ paths }) => `GET ${paths.exploreTokens}`, {
      reply: editRows((row) => Object.assign(row, { priceUsd: 1.5, volumeUsd: 7 })),
    }),
  },
  'wire-tokens-id-number': {
    breaks: '/tokens has ids that are JSON numbers',
    rules: ['route.hops.exact-ids'],
    deviates: rest('GET /tokens', {
      reply: edit((body, { choices: { profile } }) => {
        const rows = valueAt(body, profile.tokens.list) as Fields[] // as: the stub's rows
        for (const [number, row] of rows.entries()) setAt(row, profile.tokens.id, number)
      }),
    }),
  },
  'wire-explore-limit-text': {
    breaks: '/explore/pools rejects a limit or an offset that is no number in plain text',
    rules: ['wire.body.json'],
    deviates: rest(EXPLORE, {
      of: [400],
      when: only(({ query }) =>
        [query.get('limit'), query.get('offset')].some((value) => /^[a-z]+$/.test(value ?? '')),
      ),
      reply: plain('invalid number'),
    }),
  },
  'wire-pool-404-text': {
    breaks: '/pools/{key} returns the error of an unknown key as plain text',
    rules: ['wire.error.body-shape'],
    deviates: rest(POOL, { of: NO_POOL, reply: plain('not found') }),
  },
  'wire-swap-infos-exchanged': {
    breaks: 'the token infos of a swap are exchanged',
    rules: ['wire.token-info.record'],
    deviates: rest('GET /swaps', { reply: editRows((row) => exchange(row, INFOS)) }),
  },
  'wire-token-info-decimals-default': {
    breaks: 'the token infos of swaps have 18 decimals, whatever their tokens have',
    rules: ['wire.token-info.record'],
    deviates: rest('GET /swaps', {
      reply: editRows((row) => {
        for (const name of INFOS) Object.assign(row[name] as Fields, { decimals: 18 }) // as: every swap of the stub has it
      }),
    }),
  },
  'wire-pending-infos-exchanged': {
    breaks: 'the token infos of a pending swap are exchanged',
    rules: ['wire.token-info.record'],
    deviates: pending((row) => exchange(row, PENDING_INFOS)),
  },
  'wire-pending-tokens-exchanged': {
    breaks: 'a pending swap exchanges its tokens, and their infos',
    rules: ['wire.unclaimed.record'],
    deviates: pending((row) => {
      exchange(row.output as Fields, ['token_in', 'token_out']) // as: the stub's row
      exchange(row, PENDING_INFOS)
    }),
  },
  'wire-owed-ticks-exchanged': {
    breaks: 'tick_lower and tick_upper of an owed position are exchanged',
    rules: ['wire.unclaimed.record'],
    deviates: owed('positions_with_owed', (row) => exchange(row, ['tick_lower', 'tick_upper'])),
  },
  'access-stats-404': {
    breaks: '/pools/stats is read as the pool with the key `stats`',
    rules: ['access.public.pools'],
    deviates: rest('GET /pools/stats', { reply: error(404, 'no such pool') }),
  },
} as const satisfies DeviationTable

function isBigInt(text: string): boolean {
  try {
    return BigInt(text) >= 0n
  } catch {
    return false
  }
}

function failsFor(test: (amount: string) => boolean) {
  return rest(ROUTE, {
    of: [400],
    when: only(({ query }) => test(query.get('amount_in') ?? '')),
    reply: error(500),
  })
}

function isUnlisted({ query, choices: { wire }, request: { views } }: DeviationRequest): boolean {
  const ids = views.tokens().map(({ id }) => wire.tokenId.encode(id))
  return !['token_in', 'token_out'].every((name) => ids.includes(query.get(name) ?? ''))
}

function findByPrefix({ request, choices: { wire } }: DeviationRequest) {
  const { key: prefix } = request.params as { key: string } // as: the parameter of the route
  const found = request.views
    .pools({ limit: Number.MAX_SAFE_INTEGER, offset: 0 })
    .rows.find(({ key }) => wire.poolKey.encode(key).startsWith(prefix))
  if (found === undefined) return {}
  const { key, token0, token1, enabled } = found
  const [first, second] = [token0, token1].map(({ id }) => wire.tokenId.encode(id))
  return { data: { key: wire.poolKey.encode(key), token0: first, token1: second, enabled, fee: '1' } }
}

function isPrefix(incoming: DeviationRequest): boolean {
  return 'data' in findByPrefix(incoming)
}

function exchange(row: Fields, [one, other]: readonly [string, string]): void {
  Object.assign(row, { [one]: row[other], [other]: row[one] })
}

export function pending(change: (row: Fields) => void) {
  return owed('pending_swaps', change)
}

function owed(list: string, change: (row: Fields) => void) {
  return rest('GET /unclaimed', {
    reply: edit((body) => {
      for (const row of valueAt(body, `data.${list}`) as Fields[]) change(row) // as: the stub's rows
    }),
  })
}

function plain(text: string) {
  return ({ reply }: { reply: { type(name: string): unknown } }) => {
    reply.type('text/plain; charset=utf-8')
    return { text }
  }
}

const STATE = 'GET /protocol/state'
const isFarAhead = between('minimum_revision', 2 ** 31)

/** Breaks of reads, routes and the protocol state: of open records, or of unusual requests. */
export const LATER_READ_SYMPTOMS = {
  'route-revision-is-block': {
    breaks: 'the protocol_revision of a route is the height of a block',
    rules: ['route.revision.present'],
    deviates: rest(ROUTE, {
      reply: edit((body, { choices: { profile, wire } }) => {
        const height = Number(valueAt(body, 'data.observed_block'))
        setAt(body, profile.route.protocolRevision, wire.revision(height))
      }),
    }),
  },
  'wire-candle-volumes-are-numbers': ofNumbers('ohlcv', ['volume0', 'volume1'], 'volume of candles'),
  'wire-pool-stats-price-is-number': ofNumbers('stats', ['price'], 'price in the statistics of a pool'),
  'wire-ranges-are-numbers': ofNumbers('liquidity-distribution', ['liquidity'], 'liquidity of price ranges'),
  'wire-fee-tiers-401-text': {
    breaks: '/fee-tiers rejects a missing credential with plain text',
    rules: ['wire.body.json'],
    deviates: rest('GET /fee-tiers', { when: by('missing'), of: [401], reply: plain('Unauthorized') }),
  },
  'wire-made-up-token-401-text': {
    breaks: '/access/status rejects an invalid credential with plain text',
    rules: ['wire.body.json'],
    deviates: rest('GET /access/status', { when: by('invalid'), of: [401], reply: plain('Unauthorized') }),
  },
  'route-amount-empty-zero': {
    breaks: 'an empty amount_in, or one of white space only, counts as 0',
    rules: ['route.amount.canonical'],
    deviates: rest(ROUTE, {
      when: only(({ query }) => query.get('amount_in')?.trim() === ''),
      request(incoming) {
        rewrite((query) => query.set('amount_in', '1'))(incoming)
        incoming.request.views = { ...incoming.request.views, route: routeOfNothing(incoming) }
      },
    }),
  },
  'protocol-pending-far-500': {
    breaks: 'a minimum_revision beyond 32 bits returns 500',
    rules: ['protocol.pending.503'],
    deviates: rest(STATE, { of: [503], when: isFarAhead, reply: error(500) }),
  },
  'protocol-pending-far-served': {
    breaks: 'a minimum_revision beyond 32 bits is ignored',
    rules: ['protocol.pending.503', 'protocol.minimum.served'],
    deviates: rest(STATE, {
      when: isFarAhead,
      request: rewrite((query) => query.delete('minimum_revision')),
    }),
  },
} as const satisfies DeviationTable

function ofNumbers(read: string, names: readonly string[], what: string) {
  return {
    breaks: `the ${what} is a JSON number`,
    rules: ['wire.open-reads.exact'],
    deviates: rest(`GET /pools/:key/${read}`, {
      reply: editRows((row) => {
        for (const name of names) row[name] = Number(row[name])
      }),
    }),
  }
}

/** The route of a small amount, with figures of 0: the stub finds none for 0. */
function routeOfNothing({ request: { views } }: DeviationRequest): typeof views.route {
  return (query) => {
    const amounts = [3n, 6n, 9n, 12n, 15n, 18n].map((digits) => 10n ** digits)
    for (const amountIn of amounts) {
      const found = views.route({ ...query, amountIn })
      const hops = found?.hops.map((hop) => ({ ...hop, amountIn: 0n, amountOut: 0n }))
      if (found && hops) return { ...found, hops, amountIn: 0n, amountOut: 0n }
    }
    return undefined
  }
}
