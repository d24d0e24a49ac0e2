/**
 * Mutants: each makes the stub break one rule. They prove that the probe of that rule can fail. `rules` names every rule
 * that the breakage shows in: a run against the mutant reports at least one of them, and nothing outside of them.
 */

import { all, by, from, only, query } from '../deviations/conditions.ts'
import type { Answer, Asked, Deviation, Sent } from '../deviations/deviation.ts'
import { editAt, editRows, error, type Fields, rest, rows } from '../deviations/reactions.ts'
import { ACCESS_MUTANTS } from './access.ts'
import { ACCESS_SYMPTOMS } from './access-symptoms.ts'
import { ADMIN_MUTANTS, REFERRAL_MUTANTS } from './admin.ts'
import { ADMIN_SYMPTOMS } from './admin-symptoms.ts'
import { API_TOKEN_MUTANTS } from './api-token.ts'
import { API_TOKEN_SYMPTOMS } from './api-token-symptoms.ts'
import { AUDIT_SYMPTOMS } from './audit-symptoms.ts'
import { AUTH_MUTANTS } from './auth.ts'
import { AUTH_SYMPTOMS } from './auth-symptoms.ts'
import { CREDENTIAL_SYMPTOMS } from './credential-symptoms.ts'
import { DELIVERY_SYMPTOMS } from './delivery-symptoms.ts'
import { DENIAL_SYMPTOMS } from './denial-symptoms.ts'
import { END_SYMPTOMS } from './end-symptoms.ts'
import { EVENT_SYMPTOMS } from './event-symptoms.ts'
import { FEED_MUTANTS } from './feed.ts'
import { isFoundBy } from './found-by.ts'
import { HOP_SYMPTOMS } from './hop-symptoms.ts'
import { LIMIT_SYMPTOMS } from './limit-symptoms.ts'
import { MEMBERSHIP_SYMPTOMS } from './membership-symptoms.ts'
import type { DeviationTable, MutantTable } from './mutant-table.ts'
import { PAGING_MUTANTS } from './paging.ts'
import { PAGING_SYMPTOMS } from './paging-symptoms.ts'
import { POOL_LIST_SYMPTOMS } from './pool-list-symptoms.ts'
import { PORTFOLIO_SYMPTOMS } from './portfolio-symptoms.ts'
import { PROTOCOL_SYMPTOMS } from './protocol-symptoms.ts'
import { REFRESH_SYMPTOMS } from './refresh-symptoms.ts'
import { ROUTE_MUTANTS } from './route.ts'
import { ROUTE_SYMPTOMS } from './route-symptoms.ts'
import { SESSION_END_SYMPTOMS } from './session-end-symptoms.ts'
import { SESSION_SYMPTOMS } from './session-symptoms.ts'
import { SIGN_IN_SYMPTOMS } from './sign-in-symptoms.ts'
import { SOCKET_SYMPTOMS, socket } from './socket-symptoms.ts'
import { STRANGER_SYMPTOMS } from './stranger-symptoms.ts'
import { SWAP_PAGE_SYMPTOMS } from './swap-page-symptoms.ts'
import { SWAP_MUTANTS } from './swaps.ts'
import { TICKET_SYMPTOMS } from './ticket-symptoms.ts'
import { TOKEN_SYMPTOMS } from './token-symptoms.ts'
import { WALK_SYMPTOMS } from './walk-symptoms.ts'
import { WIRE_MUTANTS } from './wire.ts'
import { WIRE_SYMPTOMS } from './wire-symptoms.ts'

const EXPLORE = 'GET /explore/pools'
const KEYS = ['key']
const SYMBOLS = ['token0Symbol', 'token1Symbol']
const NAMES = ['token0Name', 'token1Name']
const ADDRESSES: readonly string[] = []

type Reaction = (answer: Answer) => Sent
const nothing = rows(() => [])

/** Other ways to break the search of /explore/pools, its order and its windows. */
const SEARCH_SYMPTOMS = {
  'paging-search-key-404': searched('search', KEYS, 'key returns 404', error(404)),
  'paging-search-key-500': searched('search', KEYS, 'key returns 500', error(500)),
  'paging-search-key-later': {
    breaks: 'a search by key finds nothing from the second one on',
    rules: ['paging.explore.search'],
    deviates: rest(EXPLORE, { when: all(only(isFoundBy(KEYS)), from(2)), reply: nothing }),
  },
  'paging-search-key-none': searched('search', KEYS, 'key finds nothing', nothing),
  'paging-search-symbol-500': searched('search-symbol', SYMBOLS, 'symbol returns 500', error(500)),
  'paging-search-name-of-one-word': {
    breaks: 'a search by a name of several words finds nothing',
    rules: ['paging.explore.search-name'],
    deviates: rest(EXPLORE, {
      when: all(
        only(isFoundBy(NAMES)),
        only(({ query }) => /\s/.test(query.get('search') ?? '')),
      ),
      reply: nothing,
    }),
  },
  'paging-search-address-404': searched('search-address', ADDRESSES, 'address returns 404', error(404)),
  'paging-order-ends-exchanged': {
    breaks: 'the first and the last row of a page of /explore/pools in rising order are exchanged',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, {
      when: query('order', 'asc'),
      reply: rows((page) => (page.length < 2 ? page : [page.at(-1), ...page.slice(1, -1), page[0]])),
    }),
  },
  'paging-week-500': {
    breaks: '/explore/pools returns 500 for the window of a week',
    rules: ['paging.explore.window-accepted'],
    deviates: rest(EXPLORE, { when: query('window', '1w'), reply: error(500) }),
  },
} as const satisfies DeviationTable

function searched(rule: string, fields: readonly string[], how: string, reply: Reaction) {
  return {
    breaks: `a search by ${how}`,
    rules: [`paging.explore.${rule}`],
    deviates: rest(EXPLORE, { when: only(isFoundBy(fields)), reply }),
  }
}

/** Other ways to break what is shown of a claim. */
const CLAIM_SYMPTOMS = {
  'swaps-claimed-still-pending': {
    breaks: '/unclaimed goes on to list swaps that were claimed',
    rules: ['swaps.claimed.not-pending'],
    deviates: remembering(),
  },
  'swaps-claimed-early-to-tokens': {
    breaks: 'API tokens are shown each swap as claimed from the start',
    rules: ['swaps.claimed.not-pending'],
    deviates: rest('GET /swaps', {
      when: by('api-token'),
      reply: editRows((swap) => {
        swap.claim_tx ??= swap.transaction
        swap.claimed_at ??= swap.executed_at
      }),
    }),
  },
  'swaps-claim-undated-multi-hop': {
    breaks: 'a claimed swap of several hops has no claimed_at',
    rules: ['swaps.claimed.both-fields'],
    deviates: rest('GET /swaps', {
      reply: editRows((swap) => {
        if ((swap.hops as Fields[]).length > 1) delete swap.claimed_at // as: the stub's own record
      }),
    }),
  },
} as const satisfies DeviationTable

/** A swap that was listed as pending once is listed for good. */
function remembering(): Deviation {
  const listed = new WeakMap<Asked['clock'], Map<string, Fields>>()
  return rest('GET /unclaimed', {
    reply: editAt('data', (data, { clock, request: { credential } }) => {
      const owner = typeof credential === 'string' ? '' : credential.address
      const known = listed.get(clock) ?? new Map<string, Fields>()
      listed.set(clock, known)
      const pending = data.pending_swaps as Fields[] // as: the stub's own body
      for (const swap of pending) known.set(`${owner} ${swap.swap_id}`, swap)
      data.pending_swaps = [...known].flatMap(([id, swap]) => (id.startsWith(`${owner} `) ? [swap] : []))
    }),
  })
}

const ROOMS_MAX = 32

const ROOM_SYMPTOMS = {
  'ws-33-rooms-later': {
    breaks: 'a room beyond the bound is joined although it is refused',
    rules: ['ws.rooms.at-most-32'],
    deviates: socket(({ rooms }) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && rooms.size === ROOMS_MAX ? { joins: room } : undefined,
    })),
  },
  'ws-own-balance-closes': {
    breaks: 'the subscription of a balance room closes the socket',
    rules: ['ws.rooms.own-balance'],
    deviates: socket(() => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && room.startsWith('balances:')
          ? { close: { code: 1008, reason: '' } }
          : undefined,
    })),
  },
  'ws-unsubscribe-one': {
    breaks: 'only the first room that a socket leaves stops to deliver',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(({ received }) => ({ leaves: () => (received.get('unsubscribe') ?? 0) <= 1 })),
  },
} as const satisfies DeviationTable

const FAUCET_MUTANTS = {
  'faucet-refuses': { breaks: 'the faucet refuses every claim', rules: ['faucet.claim.accepted'] },
  'faucet-unlimited': {
    breaks: 'an address may claim whenever it likes',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
  },
  'faucet-10-min': {
    breaks: 'an address may claim again after 10 minutes',
    rules: ['faucet.claim.still-refused'],
  },
  'faucet-30-min': { breaks: 'an address has to wait for 30 minutes', rules: ['faucet.claim.again'] },
  'faucet-one-for-all': {
    breaks: 'one claim in 15 minutes is all that the faucet takes, whatever the address',
    rules: ['faucet.claim.per-address'],
  },
} as const satisfies MutantTable

const RATE_LIMIT_MUTANTS = {
  'rate-limit-never': { breaks: 'nobody gets 429', rules: ['rate-limit.burst.429'] },
  'rate-limit-forever': {
    breaks: 'who got 429 once gets it ever after',
    rules: ['rate-limit.wait.recovers'],
  },
} as const satisfies MutantTable

const MUTANT_TABLE = {
  ...WIRE_MUTANTS,
  ...PAGING_MUTANTS,
  ...SWAP_MUTANTS,
  ...ACCESS_MUTANTS,
  ...ROUTE_MUTANTS,
  ...AUTH_MUTANTS,
  ...API_TOKEN_MUTANTS,
  ...ADMIN_MUTANTS,
  ...REFERRAL_MUTANTS,
  ...FEED_MUTANTS,
  ...FAUCET_MUTANTS,
  ...RATE_LIMIT_MUTANTS,
}

const DEVIATION_TABLE = {
  ...CLAIM_SYMPTOMS,
  ...HOP_SYMPTOMS,
  ...SEARCH_SYMPTOMS,
  ...POOL_LIST_SYMPTOMS,
  ...SWAP_PAGE_SYMPTOMS,
  ...WIRE_SYMPTOMS,
  ...ACCESS_SYMPTOMS,
  ...AUDIT_SYMPTOMS,
  ...DENIAL_SYMPTOMS,
  ...ADMIN_SYMPTOMS,
  ...API_TOKEN_SYMPTOMS,
  ...AUTH_SYMPTOMS,
  ...END_SYMPTOMS,
  ...EVENT_SYMPTOMS,
  ...LIMIT_SYMPTOMS,
  ...PAGING_SYMPTOMS,
  ...PORTFOLIO_SYMPTOMS,
  ...PROTOCOL_SYMPTOMS,
  ...ROOM_SYMPTOMS,
  ...ROUTE_SYMPTOMS,
  ...SESSION_SYMPTOMS,
  ...SOCKET_SYMPTOMS,
  ...STRANGER_SYMPTOMS,
  ...TICKET_SYMPTOMS,
  ...REFRESH_SYMPTOMS,
  ...SIGN_IN_SYMPTOMS,
  ...SESSION_END_SYMPTOMS,
  ...TOKEN_SYMPTOMS,
  ...WALK_SYMPTOMS,
  ...CREDENTIAL_SYMPTOMS,
  ...DELIVERY_SYMPTOMS,
  ...MEMBERSHIP_SYMPTOMS,
}

export type MutantName = keyof typeof MUTANT_TABLE | keyof typeof DEVIATION_TABLE

export type Mutant = { name: MutantName; breaks: string; rules: readonly string[] }

export const MUTANTS: readonly Mutant[] = Object.entries({ ...MUTANT_TABLE, ...DEVIATION_TABLE }).map(
  ([name, { breaks, rules }]) => ({
    name: name as MutantName, // the keys of the tables are the names
    breaks,
    rules,
  }),
)

/** The mutant of that name; undefined where there is none. */
export function mutantByName(name: string): Mutant | undefined {
  return MUTANTS.find((mutant) => mutant.name === name)
}

/** What a mutant is made of; undefined for one that is built into the stub, and for none. */
export function deviationOf(mutant: MutantName | null): Deviation | undefined {
  return mutant ? (DEVIATION_TABLE as DeviationTable)[mutant]?.deviates : undefined
}
