import type { DeviationTable } from './mutant-table.ts'
import { edit, editAt, editRows, type Fields, rest, text } from './reactions.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'
const UNCLAIMED = 'GET /unclaimed'
const FEE_TIERS = 'GET /fee-tiers'

export const WIRE_MUTANTS = {
  'wire-fee-number': {
    breaks: 'the fee of a pool is a JSON number',
    rules: ['wire.pools.record', 'wire.pool.record'],
    deviates: eachRow(['GET /pools', 'GET /pools/:key'], ({ fee }) => ({ fee: Number(fee) })),
  },
  'wire-payload-in-items': {
    breaks: 'the fee tiers are in `items`, not in `data`',
    rules: ['wire.success.payload-in-data'],
    deviates: rest(FEE_TIERS, {
      reply: edit((body) => {
        body.items = body.data
        delete body.data
      }),
    }),
  },
  'wire-error-object': {
    breaks: 'the error of a rejected /explore/pools is an object',
    rules: ['wire.error.body-shape'],
    deviates: rest(EXPLORE, {
      of: [400],
      reply: edit((body) => Object.assign(body, { error: { message: body.error } })),
    }),
  },
  'wire-tvl-number': {
    breaks: 'tvlUsd is a JSON number',
    rules: ['wire.explore-pools.record'],
    deviates: eachRow(EXPLORE, ({ tvlUsd }) => ({ tvlUsd: Number(tvlUsd ?? 0) })),
  },
  'wire-swap-amount-number': {
    breaks: 'the input amount of a swap is a JSON number',
    rules: ['wire.swaps.record'],
    deviates: eachRow(SWAPS, (swap) => ({ input_amount: Number(swap.input_amount) })),
  },
  'wire-swap-amount-negative': {
    breaks: 'the output amount of a swap has a sign',
    rules: ['wire.swaps.record'],
    deviates: eachRow(SWAPS, (swap) => ({ output_amount: `-${swap.output_amount}` })),
  },
  'wire-swap-amount-hex': {
    breaks: 'the input amount of a swap is hexadecimal',
    rules: ['wire.swaps.record'],
    deviates: eachRow(SWAPS, (swap) => ({
      input_amount: `0x${BigInt(String(swap.input_amount)).toString(16)}`,
    })),
  },
  'wire-swap-remaining-unknown': {
    breaks: 'the remaining amount of a swap is the string `unknown`',
    rules: ['wire.swaps.record'],
    deviates: eachRow(SWAPS, () => ({ amount_remaining: 'unknown' })),
  },
  'wire-owed-negative': {
    breaks: 'the amount owed to a wallet has a sign',
    rules: ['wire.unclaimed.record'],
    deviates: rest(UNCLAIMED, {
      reply: editAt('data', (data) => {
        for (const output of listOutputs(data)) output.amount_out = `-${output.amount_out}`
        for (const position of listPositions(data)) position.tokens_owed1 = `-${position.tokens_owed1}`
      }),
    }),
  },
  'wire-quote-flag-text': {
    breaks: 'the valuation quote has only `corroborated`, as a JSON string',
    rules: ['wire.explore-pools.valuation'],
    deviates: rest(EXPLORE, {
      reply: edit((body) => Object.assign(body, { valuation: { corroborated: 'true' } })),
    }),
  },
  'wire-body-guarded': {
    breaks: "the body of /fee-tiers starts with `)]}',`, a guard against script inclusion",
    rules: ['wire.body.json'],
    deviates: rest(FEE_TIERS, { reply: text((body) => `)]}',\n${body}`) }),
  },
  'wire-enabled-text': {
    breaks: '`enabled` of /pools/{key} is a JSON string',
    rules: ['wire.pool.record'],
    deviates: eachRow('GET /pools/:key', ({ enabled }) => ({ enabled: String(enabled) })),
  },
  'wire-valuation-number': {
    breaks: 'the valuation of /explore/pools is a JSON number',
    rules: ['wire.explore-pools.valuation'],
    deviates: rest(EXPLORE, { reply: edit((body) => Object.assign(body, { valuation: 1.0001 })) }),
  },
  'wire-tokens-counted': {
    breaks: '/tokens returns only a count',
    rules: ['wire.tokens.list'],
    deviates: rest('GET /tokens', {
      reply: edit((body) => {
        body.data = Array.isArray(body.data) ? body.data.length : 1
      }),
    }),
  },
  'wire-token-info-decimals': {
    breaks: 'the decimals of a token info are a JSON string',
    rules: ['wire.token-info.record'],
    deviates: rest(SWAPS, {
      reply: editRows(({ input_token_info: info }) => {
        Object.assign(info as Fields, { decimals: String((info as Fields).decimals) }) // as: every swap of the stub has it
      }),
    }),
  },
  'wire-owed-number': {
    breaks: 'unclaimed amounts are JSON numbers',
    rules: ['wire.unclaimed.record'],
    deviates: rest(UNCLAIMED, {
      reply: editAt('data', (data) => {
        for (const output of listOutputs(data)) output.amount_remaining = Number(output.amount_remaining)
        for (const position of listPositions(data)) position.tokens_owed0 = Number(position.tokens_owed0)
      }),
    }),
  },
  'wire-fee-tier-text': {
    breaks: 'fee_tier is a JSON string',
    rules: ['wire.fee-tiers.record'],
    deviates: eachRow(FEE_TIERS, (tier) => ({ fee_tier: String(tier.fee_tier) })),
  },
  'wire-schema-without-inputs': {
    breaks: 'entries of /schema/trading have no inputs',
    rules: ['wire.schema-trading.record'],
    deviates: eachRow('GET /schema/trading', () => ({ inputs: undefined })),
  },
} as const satisfies DeviationTable

/** Sets fields of records; undefined deletes one. */
function eachRow(routes: string | readonly string[], change: (row: Fields) => Fields) {
  return rest(routes, { reply: editRows((row) => void Object.assign(row, change(row))) })
}

/** As: bodies of this exchange's own making. */
function listOutputs(data: Fields): Fields[] {
  return (data.pending_swaps as { output: Fields }[]).map(({ output }) => output)
}

function listPositions(data: Fields): Fields[] {
  return data.positions_with_owed as Fields[]
}
