import { valueAt } from '../../demo-client.ts'
import { by, from, only, query } from '../conditions.ts'
import type { Deviation, DeviationRequest, DeviationTable } from '../deviation.ts'
import { edit, editRows, error, type Fields, rest, rewrite, setAt, success } from '../reactions.ts'
import { remembering } from './sequence-table.ts'

const ROUTE = 'GET /route'

const isMultiHop = only(hopsAreMany)

export const ROUTE_SYMPTOMS = {
  'route-revision-null': {
    breaks: 'the revision of a route with several hops is null',
    rules: ['route.revision.present'],
    deviates: rest(ROUTE, {
      when: isMultiHop,
      reply: edit((body, { choices }) => setRevision(body, choices.profile.route.protocolRevision, null)),
    }),
  },
  'route-revision-missing-later': {
    breaks: 'routes have no revision from the third one on',
    rules: ['route.revision.present'],
    deviates: rest(ROUTE, {
      when: from(3),
      reply: edit((body, { choices }) =>
        setRevision(body, choices.profile.route.protocolRevision, undefined),
      ),
    }),
  },
  'route-amount-number-hops': {
    breaks: 'the output amount of a route with several hops is a JSON number',
    rules: ['route.amount.exact'],
    deviates: rest(ROUTE, {
      when: isMultiHop,
      reply: edit((body, { choices: { profile } }) => {
        const { amountOut } = profile.route
        setAt(body, amountOut, Number(valueAt(body, amountOut)))
      }),
    }),
  },
  'route-amount-separated': {
    breaks: 'the output amount of a route has separators between thousands',
    rules: ['route.amount.exact'],
    deviates: rest(ROUTE, {
      reply: edit((body, { choices: { profile } }) => {
        const { amountOut } = profile.route
        setAt(body, amountOut, Number(valueAt(body, amountOut)).toLocaleString('en-US'))
      }),
    }),
  },
  'route-amount-signed': spelled('a plus sign before an amount', /^\+(?=[0-9])/),
  'route-amount-spaced': spelled('white space around an amount', /^\s+|\s+$/g),
  'route-amount-short-exponent': {
    breaks: '/route accepts one digit with an exponent of one digit',
    rules: ['route.amount.canonical'],
    deviates: rest(ROUTE, {
      when: only(({ query }) => /^[0-9][eE][0-9]$/.test(query.get('amount_in') ?? '')),
      request: rewrite((query) => query.set('amount_in', String(Number(query.get('amount_in'))))),
    }),
  },
  'route-amount-whole-fraction': spelled('a fraction of zero after an amount', /\.0+$/),
  'route-amount-null-payload': {
    breaks: 'a non-canonical amount returns 200 with null as its payload',
    rules: ['route.amount.canonical'],
    deviates: rest(ROUTE, {
      of: [400],
      reply: (response) => {
        response.reply.code(200)
        return { text: '{"data":null}' }
      },
    }),
  },
  'route-none-without-hops': {
    breaks: 'a pair without a route gets 200 with an empty list of hops',
    rules: ['route.none.404'],
    deviates: rest(ROUTE, {
      of: [404],
      reply: success(({ choices: { profile } }) => {
        const names = profile.route.hops.split('.').toReversed()
        return names.reduce<object>((inner, name) => ({ [name]: inner }), [])
      }),
    }),
  },
  'route-missing-403': {
    breaks: '/route returns 403 without a credential',
    rules: ['route.credentials.missing-401'],
    deviates: rest(ROUTE, { of: [401], when: by('missing'), reply: error(403) }),
  },
  'route-invalid-403': {
    breaks: '/route returns 403 to an invalid credential',
    rules: ['route.credentials.invalid-401'],
    deviates: rest(ROUTE, { of: [401], when: by('invalid'), reply: error(403) }),
  },
  'route-amount-ignored': {
    breaks: 'routes are cached by their pair, without the amount',
    rules: ['route.amount.exact'],
    deviates: cachedByPair(),
  },
  'route-direction-ignored': {
    breaks: 'the two tokens of a pair are sorted, so both directions get the same route',
    rules: ['route.hops.exact-ids'],
    deviates: rest(ROUTE, {
      when: query('amount_in'),
      request: rewrite((query) => {
        const [first = '', second = ''] = ['token_in', 'token_out']
          .map((name) => query.get(name) ?? '')
          .sort()
        query.set('token_in', first)
        query.set('token_out', second)
      }),
    }),
  },
  'protocol-minimum-ignored-for-known': {
    breaks: '/protocol/state ignores minimum_revision of requests with a credential',
    rules: ['protocol.minimum.served'],
    // If every request needs a credential.
    sometimes: ['protocol.pending.503'],
    deviates: rest('GET /protocol/state', {
      when: by('api-token', 'session'),
      request: rewrite((query) => query.delete('minimum_revision')),
    }),
  },
  'wire-explore-price-decimal-comma': {
    breaks: 'prices of /explore/pools in dollars have a decimal comma',
    rules: ['wire.explore-pools.record'],
    deviates: rest('GET /explore/pools', {
      reply: editRows((row) => {
        if (typeof row.priceUsd === 'string') row.priceUsd = row.priceUsd.replace('.', ',')
      }),
    }),
  },
  'wire-pools-fee-decimal-comma': {
    breaks: 'fees of /pools have a decimal comma',
    rules: ['wire.pools.record'],
    // /pools/{key} shows another fee.
    sometimes: ['paging.key.round-trip'],
    deviates: rest('GET /pools', {
      reply: editRows((row) => Object.assign(row, { fee: `${row.fee},0` })),
    }),
  },
  'wire-candle-volumes-separated': {
    breaks: 'volumes of candles have a decimal comma',
    rules: ['wire.open-reads.exact'],
    deviates: rest('GET /pools/:key/ohlcv', {
      reply: editRows((row) => Object.assign(row, { volume0: `${row.volume0},0` })),
    }),
  },
} as const satisfies DeviationTable

export function hopsAreMany({ body, choices }: DeviationRequest): boolean {
  const hops = valueAt(body, choices.profile.route.hops)
  return Array.isArray(hops) && hops.length > 1
}

function setRevision(body: Fields, path: string, revision: null | undefined): void {
  setAt(body, path, revision)
}

/** A new revision ends the cache. */
function cachedByPair(): Deviation {
  return remembering(ROUTE, () => {
    const routes = new Map<string, object>()
    return ({ body, query, status, choices }) => {
      const pair = `${query.get('token_in')} ${query.get('token_out')}`
      const path = choices.profile.route.protocolRevision
      const cached = routes.get(pair)
      const isNew = status === 200 && valueAt(body, path) !== (cached && valueAt(cached, path))
      if (isNew && body) routes.set(pair, structuredClone(body))
      else if (cached && (status === 200 || status === 404)) return success(() => cached)
      return undefined
    }
  })
}

/** Accepts a non-canonical spelling of `amount_in`. */
function spelled(what: string, spelling: RegExp) {
  return {
    breaks: `/route accepts ${what}`,
    rules: ['route.amount.canonical'],
    deviates: takenAway(spelling),
  }
}

/** Drops some characters of `amount_in` before it is read. */
export function takenAway(characters: RegExp): Deviation {
  return rest(ROUTE, {
    when: query('amount_in'),
    request: rewrite((query) =>
      query.set('amount_in', (query.get('amount_in') ?? '').replace(characters, '')),
    ),
  })
}
