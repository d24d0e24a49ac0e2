/** Mutants that spoil answers as they go out, by group. The rest are broken where the stub does what they break. */

import type { Choices } from '../choices/choices.ts'
import { setAt } from '../deviations/reactions.ts'
import type { Alteration, Body } from '../exchange/replies/alter-answers.ts'
import type { ACCESS_MUTANTS } from './access.ts'
import { AUTH_ALTERATIONS } from './auth-alterations.ts'
import type { MutantName } from './mutants.ts'
import { PAGING_ALTERATIONS } from './paging-alterations.ts'
import type { ROUTE_MUTANTS } from './route.ts'
import type { SWAP_MUTANTS } from './swaps.ts'
import type { WIRE_MUTANTS } from './wire.ts'

const WIRE_ALTERATIONS: Readonly<Partial<Record<keyof typeof WIRE_MUTANTS, Alteration>>> = {
  'wire-fee-number': {
    routes: ['GET /pools', 'GET /pools/:key'],
    alter: ({ body }) => {
      for (const pool of recordsOf(body)) pool.fee = Number(pool.fee)
    },
  },
  'wire-payload-in-items': {
    routes: ['GET /fee-tiers'],
    alter: ({ body: { data, ...rest } }) => ({ ...rest, items: data }),
  },
  'wire-error-object': {
    routes: ['GET /explore/pools'],
    statuses: (status) => status === 400,
    alter: ({ body }) => ({ ...body, error: { message: body.error } }),
  },
  'wire-tvl-number': {
    routes: ['GET /explore/pools'],
    alter: ({ body }) => {
      for (const pool of recordsOf(body)) pool.tvlUsd = Number(pool.tvlUsd ?? 0)
    },
  },
  'wire-swap-amount-number': {
    routes: ['GET /swaps'],
    alter: ({ body }) => {
      for (const swap of recordsOf(body)) swap.input_amount = Number(swap.input_amount)
    },
  },
  'wire-swap-amount-negative': eachSwap((swap) => ({ output_amount: `-${swap.output_amount}` })),
  'wire-swap-amount-hex': eachSwap((swap) => ({
    input_amount: `0x${BigInt(String(swap.input_amount)).toString(16)}`,
  })),
  'wire-swap-remaining-unknown': eachSwap(() => ({ amount_remaining: 'unknown' })),
  'wire-owed-negative': {
    routes: ['GET /unclaimed'],
    alter: ({ body }) => {
      const { pending_swaps: swaps, positions_with_owed: positions } = body.data as Owed
      for (const { output } of swaps) output.amount_out = `-${output.amount_out}`
      for (const position of positions) position.tokens_owed1 = `-${position.tokens_owed1}`
    },
  },
  'wire-quote-flag-text': {
    routes: ['GET /explore/pools'],
    alter: ({ body }) => ({ ...body, valuation: { corroborated: 'true' } }),
  },
  'wire-body-guarded': {
    routes: ['GET /fee-tiers'],
    alter: ({ body }) => `)]}',\n${JSON.stringify(body)}`,
  },
  'wire-enabled-text': {
    routes: ['GET /pools/:key'],
    alter: ({ body }) => {
      for (const pool of recordsOf(body)) pool.enabled = String(pool.enabled)
    },
  },
  'wire-valuation-number': {
    routes: ['GET /explore/pools'],
    alter: ({ body }) => ({ ...body, valuation: 1.0001 }),
  },
  'wire-tokens-counted': {
    routes: ['GET /tokens'],
    alter: ({ body }) => ({ ...body, data: recordsOf(body).length }),
  },
  'wire-token-info-decimals': {
    routes: ['GET /swaps'],
    alter: ({ body }) => {
      for (const swap of recordsOf(body)) {
        const info = swap.input_token_info as Record<string, unknown> // as: every swap of the stub has it
        info.decimals = String(info.decimals)
      }
    },
  },
  'wire-owed-number': {
    routes: ['GET /unclaimed'],
    alter: ({ body }) => {
      const { pending_swaps: swaps, positions_with_owed: positions } = body.data as Owed
      for (const { output } of swaps) output.amount_remaining = Number(output.amount_remaining)
      for (const position of positions) position.tokens_owed0 = Number(position.tokens_owed0)
    },
  },
  'wire-fee-tier-text': {
    routes: ['GET /fee-tiers'],
    alter: ({ body }) => {
      for (const tier of recordsOf(body)) tier.fee_tier = String(tier.fee_tier)
    },
  },
  'wire-schema-without-inputs': {
    routes: ['GET /schema/trading'],
    alter: ({ body }) => ({ ...body, data: recordsOf(body).map(({ inputs: _, ...entry }) => entry) }),
  },
}

type Owed = {
  pending_swaps: { output: Record<string, unknown> }[]
  positions_with_owed: Record<string, unknown>[]
}

/** Swaps with other values in some fields. */
function eachSwap(change: (swap: Record<string, unknown>) => object): Alteration {
  return {
    routes: ['GET /swaps'],
    alter: ({ body }) => {
      for (const swap of recordsOf(body)) Object.assign(swap, change(swap))
    },
  }
}

/** What a body holds: the rows of a list, or one record. */
function recordsOf({ data }: Body): Record<string, unknown>[] {
  return (Array.isArray(data) ? data : [data]) as Record<string, unknown>[] // as: bodies of this exchange's own making
}

const ROUTE = ['GET /route']
const STATE = ['GET /protocol/state']
const isPending = (status: number) => status === 503

const ROUTE_ALTERATIONS: Readonly<Partial<Record<keyof typeof ROUTE_MUTANTS, Alteration>>> = {
  'route-pool-number': {
    routes: ROUTE,
    alter({ body, choices: { profile } }) {
      const { hops, hop } = profile.route
      for (const one of at(body, hops) as object[]) setAt(one, hop.pool, 7) // as: the hops of this exchange's own route
    },
  },
  'route-revision-missing': {
    routes: ROUTE,
    alter: ({ body, choices: { profile } }) => setAt(body, profile.route.protocolRevision, undefined),
  },
  'route-revision-stuck': {
    routes: ROUTE,
    alter: ({ body, choices: { profile, wire } }) =>
      setAt(body, profile.route.protocolRevision, wire.revision(0)),
  },
  'route-amount-number': {
    routes: ROUTE,
    alter({ body, choices: { profile } }) {
      const { amountOut } = profile.route
      setAt(body, amountOut, Number(at(body, amountOut)))
    },
  },
  'route-open': {
    routes: ROUTE,
    statuses: (status) => status === 401,
    alter({ reply }) {
      reply.code(200)
      return { data: {} }
    },
  },
  'protocol-revision-missing': {
    routes: STATE,
    alter: ({ body, choices: { profile } }) => setAt(body, profile.protocolState.revision, undefined),
  },
  'protocol-pending-without-error': {
    routes: STATE,
    statuses: isPending,
    alter: ({ body }) => setAt(body, 'error', undefined),
  },
  'protocol-pending-without-wait': {
    routes: STATE,
    statuses: isPending,
    alter: ({ reply }) => void reply.removeHeader('retry-after'),
  },
  'protocol-minimum-undercut': {
    routes: STATE,
    alter({ body, request, choices: { profile, wire } }) {
      const asked = Number(at(request.query, 'minimum_revision') ?? 0)
      if (asked > 0) setAt(body, profile.protocolState.revision, wire.revision(asked - 1))
    },
  },
}

function at(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], body) // as: nested objects
}

const ACCESS_ALTERATIONS: Readonly<Partial<Record<keyof typeof ACCESS_MUTANTS, Alteration>>> = {
  'access-ready-guarded': guarding(() => '/ready'),
  'access-stats-guarded': guarding(() => '/pools/stats'),
  'access-oracle-guarded': guarding(() => '/pools/:key/oracle'),
  'access-explore-tokens-guarded': guarding(({ paths }) => paths.exploreTokens),
  'access-tokens-guarded': guarding(() => '/tokens'),
  'access-compliance-guarded': guarding(({ paths }) => paths.compliance),
  'access-aggregator-guarded': guarding(({ aggregator }) => `${aggregator.prefix}/pairs`),
}

/** 401 to whoever comes without a credential. */
function guarding(route: (choices: Choices) => string): Alteration {
  return {
    alter: ({ reply, request, choices }) => {
      if (request.routeOptions.url !== route(choices) || request.credential !== 'missing') return undefined
      reply.code(401)
      return { error: 'credentials are missing' }
    },
  }
}

const SWAP_ALTERATIONS: Readonly<Partial<Record<keyof typeof SWAP_MUTANTS, Alteration>>> = {
  'swaps-claimed-early': {
    routes: ['GET /swaps'],
    alter: ({ body }) => {
      const swaps = body.data as Record<string, unknown>[] // as: bodies of this exchange's own making
      for (const swap of swaps) {
        swap.claim_tx ??= swap.transaction
        swap.claimed_at ??= swap.executed_at
      }
    },
  },
}

export const ALTERATIONS: Readonly<Partial<Record<MutantName, Alteration>>> = {
  ...AUTH_ALTERATIONS,
  ...WIRE_ALTERATIONS,
  ...ROUTE_ALTERATIONS,
  ...PAGING_ALTERATIONS,
  ...SWAP_ALTERATIONS,
  ...ACCESS_ALTERATIONS,
}
