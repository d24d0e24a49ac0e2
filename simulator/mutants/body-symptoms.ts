import { from, query } from '../deviations/conditions.ts'
import { edit, editAt, editRows, error, type Fields, page, rest, text } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'
const UNCLAIMED = 'GET /unclaimed'
const STATUS = 'GET /access/status'

/** Other ways to break bodies, token infos and the access status. */
export const BODY_SYMPTOMS = {
  'wire-explore-400-text': unparsed('a refused window of /explore/pools returns plain text', {
    ...rest(EXPLORE, { of: [400], when: query('window'), reply: text(() => 'invalid window') }),
  }),
  'wire-explore-trailing-comma': unparsed(
    'the body of /explore/pools has a comma after its last field',
    rest(EXPLORE, { reply: text((body) => `${body.slice(0, -1)},}`) }),
  ),
  'wire-swaps-single-quotes': unparsed(
    'the body of /swaps has single quotes',
    rest(SWAPS, { reply: text((body) => body.replaceAll('"', "'")) }),
  ),
  'wire-tokens-as-page': unparsed(
    '/tokens returns 200 with a page of HTML',
    rest('GET /tokens', { reply: page(200) }),
  ),
  'wire-fee-tiers-nan': unparsed(
    'a fee tier of /fee-tiers is NaN',
    rest('GET /fee-tiers', { reply: text((body) => body.replace(/"fee_tier":[0-9]+/, '"fee_tier":NaN')) }),
  ),
  'wire-status-empty': {
    breaks: 'the body of /access/status is empty',
    rules: ['wire.body.json', 'referral.access.record'],
    deviates: rest(STATUS, { reply: text(() => '') }),
  },
  'wire-token-info-without-symbol': info(
    'the output token info of a swap has no symbol',
    SWAPS,
    'output_token_info',
    (token) => delete token.symbol,
  ),
  'wire-token-info-name-null': info(
    'the name of the input token info of a swap is null',
    SWAPS,
    'input_token_info',
    (token) => Object.assign(token, { name: null }),
  ),
  'wire-token-info-id-number': {
    breaks: 'the id of the token into a pending swap is a JSON number',
    rules: ['wire.token-info.record'],
    deviates: rest(UNCLAIMED, {
      reply: editAt('data', ({ pending_swaps }) => {
        for (const swap of pending_swaps as Fields[]) Object.assign(swap.token_in_info as Fields, { id: 7 }) // as: the stub's own body
      }),
    }),
  },
  'wire-token-info-text': {
    breaks: 'the token info of a position with owed fees is a text',
    rules: ['wire.token-info.record'],
    deviates: rest(UNCLAIMED, {
      reply: editAt('data', ({ positions_with_owed }) => {
        for (const position of positions_with_owed as Fields[]) position.token0_info = 'token' // as: the stub's own body
      }),
    }),
  },
  'referral-access-missing': status('has no has_access', (data) => delete data.has_access),
  'referral-access-null': status('has null as has_access', (data) =>
    Object.assign(data, { has_access: null }),
  ),
  'referral-access-number': status('has 1 as has_access', (data) => Object.assign(data, { has_access: 1 })),
  'referral-access-500': {
    breaks: '/access/status returns 500',
    rules: ['referral.access.record'],
    deviates: rest(STATUS, { reply: error(500) }),
  },
  'referral-access-text-later': {
    breaks: 'has_access of /access/status is a string from the second response on',
    rules: ['referral.access.record'],
    deviates: rest(STATUS, {
      when: from(2),
      reply: editAt('data', (data) => Object.assign(data, { has_access: String(data.has_access) })),
    }),
  },
} as const satisfies DeviationTable

function unparsed(breaks: string, deviates: ReturnType<typeof rest>) {
  return { breaks, rules: ['wire.body.json'], deviates }
}

function info(breaks: string, route: string, field: string, change: (token: Fields) => unknown) {
  return {
    breaks,
    rules: ['wire.token-info.record'],
    deviates: rest(route, {
      reply: editRows((row) => {
        if (row[field]) change(row[field] as Fields) // as: the stub's own record
      }),
    }),
  }
}

function status(how: string, change: (data: Fields) => unknown) {
  return {
    breaks: `/access/status ${how}`,
    rules: ['referral.access.record'],
    deviates: rest(STATUS, { reply: edit((body) => void change(body.data as Fields)) }), // as: the stub's own body
  }
}
