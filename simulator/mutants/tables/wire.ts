/** Mutants of the shape of bodies and records. */

import { valueAt } from '../../demo-client.ts'
import { query } from '../conditions.ts'
import type { DeviationTable } from '../deviation.ts'
import { edit, editAt, editRows, error, type Fields, rest, setAt, text } from '../reactions.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'
const UNCLAIMED = 'GET /unclaimed'
const FEE_TIERS = 'GET /fee-tiers'
const odd = (number: number) => number % 2 === 1

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

export const WIRE_SYMPTOMS = {
  'wire-schema-bare': {
    breaks: 'the body of /schema/trading is the list itself',
    rules: ['wire.success.payload-in-data'],
    deviates: rest('GET /schema/trading', { reply: text((body) => JSON.stringify(JSON.parse(body).data)) }),
  },
  'wire-status-bare': {
    breaks: 'the payload of /access/status is not in `data`',
    rules: ['wire.success.payload-in-data', 'referral.access.record'],
    deviates: rest('GET /access/status', { reply: text((body) => JSON.stringify(JSON.parse(body).data)) }),
  },
  'wire-error-as-message': {
    breaks: '/explore/pools rejects a window with a `message` and no `error`',
    rules: ['wire.error.body-shape'],
    deviates: rest(EXPLORE, {
      of: [400],
      when: query('window'),
      reply: edit((body) => Object.assign(body, { message: body.error, error: undefined })),
    }),
  },
  'wire-error-empty': {
    breaks: '/explore/pools rejects an offset with an empty object',
    rules: ['wire.error.body-shape'],
    deviates: rest(EXPLORE, { of: [400], when: query('offset'), reply: text(() => '{}') }),
  },
  'wire-pools-last-without-fee': {
    breaks: 'the last pool of each page of /pools has no fee',
    rules: ['wire.pools.record'],
    deviates: rest('GET /pools', {
      reply: edit(({ data }) => {
        const last = (data as Fields[]).at(-1) // as: the stub's rows
        if (last) delete last.fee
      }),
    }),
  },
  'wire-pools-enabled-null': {
    breaks: '`enabled` is null in every second row of /pools',
    rules: ['wire.pools.record'],
    deviates: rest('GET /pools', { reply: rowsAt(odd, (row) => Object.assign(row, { enabled: null })) }),
  },
  'wire-pool-without-enabled': {
    breaks: '/pools/{key} omits `enabled` for pools that are enabled',
    rules: ['wire.pool.record'],
    deviates: rest('GET /pools/:key', {
      reply: editRows((row) => {
        if (row.enabled === true) delete row.enabled
      }),
    }),
  },
  'wire-explore-decimals-text': {
    breaks: 'token0Decimals is a JSON string from the tenth row of /explore/pools on',
    rules: ['wire.explore-pools.record'],
    deviates: rest(EXPLORE, {
      reply: rowsAt(
        (number) => number >= 9,
        (row) => Object.assign(row, { token0Decimals: String(row.token0Decimals) }),
      ),
    }),
  },
  'wire-explore-symbol-null': {
    breaks: 'token1Symbol is null in every second row of /explore/pools',
    rules: ['wire.explore-pools.record'],
    deviates: rest(EXPLORE, { reply: rowsAt(odd, (row) => Object.assign(row, { token1Symbol: null })) }),
  },
  'wire-valuation-decimals-negative': {
    breaks: 'the valuation of /explore/pools has -1 decimals',
    rules: ['wire.explore-pools.valuation'],
    deviates: valued({ decimals: -1 }),
  },
  'wire-valuation-time-text': {
    breaks: 'publishTime of the valuation is a JSON string',
    rules: ['wire.explore-pools.valuation'],
    deviates: valued({ publishTime: '2025-01-02T03:04:05Z' }),
  },
  'wire-tokens-by-id': {
    breaks: '/tokens returns an object of tokens by id instead of a list',
    rules: ['wire.tokens.list'],
    deviates: rest('GET /tokens', {
      reply: edit((body, { choices: { profile } }) => {
        const rows = valueAt(body, profile.tokens.list) as Fields[] // as: the stub's list
        const byId = Object.fromEntries(rows.map((row) => [String(valueAt(row, profile.tokens.id)), row]))
        setAt(body, profile.tokens.list, byId)
      }),
    }),
  },
  'wire-tokens-null': {
    breaks: 'the list of /tokens is null',
    rules: ['wire.tokens.list'],
    deviates: rest('GET /tokens', {
      reply: edit((body, { choices }) => setAt(body, choices.profile.tokens.list, null)),
    }),
  },
  'wire-fee-tier-id-number': {
    breaks: 'the id of the second fee tier is a JSON number',
    rules: ['wire.fee-tiers.record'],
    deviates: rest(FEE_TIERS, { reply: rowsAt(odd, (row) => Object.assign(row, { id: 2 })) }),
  },
  'wire-fee-tier-spacing-text': {
    breaks: 'tick_spacing is a JSON string',
    rules: ['wire.fee-tiers.record'],
    deviates: eachRow(FEE_TIERS, (tier) => ({ tick_spacing: String(tier.tick_spacing) })),
  },
  'wire-fee-tiers-nan': {
    breaks: 'a fee tier of /fee-tiers is NaN',
    rules: ['wire.body.json'],
    deviates: rest(FEE_TIERS, { reply: text((body) => body.replace(/"fee_tier":[0-9]+/, '"fee_tier":NaN')) }),
  },
  'wire-fee-tiers-500': {
    breaks: '/fee-tiers returns 500',
    rules: ['wire.fee-tiers.record'],
    deviates: rest(FEE_TIERS, { reply: error(500) }),
  },
  'wire-schema-input-without-type': {
    breaks: 'the last input of the last entry of /schema/trading has no type',
    rules: ['wire.schema-trading.record'],
    deviates: rest('GET /schema/trading', {
      reply: edit(({ data }) => {
        const inputs = (data as { inputs: Fields[] }[]).at(-1)?.inputs // as: the stub's entries
        delete inputs?.at(-1)?.type
      }),
    }),
  },
  'wire-schema-follow-up-text': {
    breaks: 'follow_up of /schema/trading is a string',
    rules: ['wire.schema-trading.record'],
    deviates: eachRow('GET /schema/trading', () => ({ follow_up: 'none' })),
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

/** Changes the rows that the test selects by number. */
function rowsAt(isMeant: (number: number) => boolean, change: (row: Fields) => void) {
  return editRows((row, number) => {
    if (isMeant(number)) change(row)
  })
}

/** A correct valuation except for these fields. */
function valued(wrong: Fields) {
  const right = {
    price: '0.9998',
    decimals: 8,
    publishTime: 1_735_787_045,
    validUntil: 1_735_787_105,
    serverTime: 1_735_787_050,
    source: 'oracle',
    corroborated: true,
  }
  return rest(EXPLORE, { reply: edit((body) => Object.assign(body, { valuation: { ...right, ...wrong } })) })
}
