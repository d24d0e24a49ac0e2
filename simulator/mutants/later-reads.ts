/** Breaks of reads, routes and the protocol state: of open records, or of unusual requests. */
import { valueAt } from '../demo-client.ts'
import { between, only } from './conditions.ts'
import type { DeviationRequest, DeviationTable } from './deviation.ts'
import { edit, editRows, error, rest, rewrite, setAt } from './reactions.ts'

const ROUTE = 'GET /route'
const STATE = 'GET /protocol/state'
const isFarAhead = between('minimum_revision', 2 ** 31)

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
