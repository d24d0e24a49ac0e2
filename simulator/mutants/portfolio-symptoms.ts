import type { DeviationTable } from './mutant-table.ts'
import { edit, editRows, type Fields, rest } from './reactions.ts'

const SWAPS = 'GET /swaps'
const UNCLAIMED = 'GET /unclaimed'

export const PORTFOLIO_SYMPTOMS = {
  'wire-swaps-hops-null': {
    breaks: 'hops is null in swaps with one hop',
    rules: ['wire.swaps.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row) => {
        if ((row.hops as unknown[]).length === 1) row.hops = null // as: the stub's record
      }),
    }),
  },
  'wire-swaps-amount-fraction': {
    breaks: 'the output amount of a swap has a fraction',
    rules: ['wire.swaps.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row) => Object.assign(row, { output_amount: `${row.output_amount}.0` })),
    }),
  },
  'wire-swaps-without-nonce': {
    breaks: 'the last swap of a page has no nonce',
    rules: ['wire.swaps.record'],
    deviates: rest(SWAPS, {
      reply: edit(({ data }) => {
        delete (data as Fields[]).at(-1)?.nonce // as: the stub's rows
      }),
    }),
  },
  'wire-token-info-image-number': {
    breaks: 'the image of a token info is a JSON number from the third swap of a page on',
    rules: ['wire.token-info.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row, number) => {
        if (number >= 2) Object.assign(row.input_token_info as Fields, { image: 7 }) // as: every swap of the stub has it
      }),
    }),
  },
  'wire-token-info-without-symbol': {
    breaks: 'the output token info of a swap has no symbol',
    rules: ['wire.token-info.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row) => {
        delete (row.output_token_info as Fields).symbol // as: every swap of the stub has it
      }),
    }),
  },
  'wire-unclaimed-without-positions': {
    breaks: '/unclaimed leaves out positions_with_owed',
    rules: ['wire.unclaimed.record'],
    deviates: rest(UNCLAIMED, {
      reply: edit(({ data }) => {
        delete (data as Fields).positions_with_owed // as: the stub's body
      }),
    }),
  },
} as const satisfies DeviationTable
