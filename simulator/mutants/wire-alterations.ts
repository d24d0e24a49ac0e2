import type { Alteration, Body } from '../exchange/replies/alter-answers.ts'
import type { WIRE_MUTANTS } from './wire.ts'

export const WIRE_ALTERATIONS: Readonly<Partial<Record<keyof typeof WIRE_MUTANTS, Alteration>>> = {
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
