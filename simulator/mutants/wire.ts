import type { MutantTable } from './mutant-table.ts'

export const WIRE_MUTANTS = {
  'wire-fee-number': {
    breaks: 'the fee of a pool is a JSON number',
    rules: ['wire.pools.record', 'wire.pool.record'],
  },
  'wire-payload-in-items': {
    breaks: 'the fee tiers stand in `items`, not in `data`',
    rules: ['wire.success.payload-in-data'],
  },
  'wire-error-object': {
    breaks: 'the error of a refused /explore/pools is an object',
    rules: ['wire.error.body-shape'],
  },
  'wire-tvl-number': { breaks: 'tvlUsd is a JSON number', rules: ['wire.explore-pools.record'] },
  'wire-swap-amount-number': {
    breaks: 'the input amount of a swap is a JSON number',
    rules: ['wire.swaps.record'],
  },
  'wire-swap-amount-negative': {
    breaks: 'the output amount of a swap has a sign',
    rules: ['wire.swaps.record'],
  },
  'wire-swap-amount-hex': {
    breaks: 'the input amount of a swap is in base 16',
    rules: ['wire.swaps.record'],
  },
  'wire-swap-remaining-unknown': {
    breaks: 'the amount that remains of a swap is the text `unknown`',
    rules: ['wire.swaps.record'],
  },
  'wire-owed-negative': {
    breaks: 'what is owed to a wallet has a sign',
    rules: ['wire.unclaimed.record'],
  },
  'wire-quote-flag-text': {
    breaks: 'the valuation quote has `corroborated` as a JSON string, and nothing else',
    rules: ['wire.explore-pools.valuation'],
  },
  'wire-body-guarded': {
    breaks: "the body of /fee-tiers begins with `)]}',`, as a guard against scripts",
    rules: ['wire.body.json'],
  },
  'wire-enabled-text': { breaks: '`enabled` of /pools/{key} is a JSON string', rules: ['wire.pool.record'] },
  'wire-valuation-number': {
    breaks: 'the valuation of /explore/pools is a JSON number',
    rules: ['wire.explore-pools.valuation'],
  },
  'wire-tokens-counted': { breaks: '/tokens tells how many there are', rules: ['wire.tokens.list'] },
  'wire-token-info-decimals': {
    breaks: 'the decimals of a token info are a JSON string',
    rules: ['wire.token-info.record'],
  },
  'wire-owed-number': {
    breaks: 'what is unclaimed are JSON numbers',
    rules: ['wire.unclaimed.record'],
  },
  'wire-fee-tier-text': { breaks: 'fee_tier is a JSON string', rules: ['wire.fee-tiers.record'] },
  'wire-schema-without-inputs': {
    breaks: 'entries of /schema/trading have no inputs',
    rules: ['wire.schema-trading.record'],
  },
} as const satisfies MutantTable
