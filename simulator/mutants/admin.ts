import { valueAt } from '../demo-client.ts'
import type { Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { edit, editAt, type Fields, rest } from './reactions.ts'

const MINT = 'POST /tokens/mint'
const CODES = 'GET /referral/codes'

export const ADMIN_MUTANTS = {
  'admin-mint-without-tx': {
    breaks: 'the response to a mint has no transaction',
    rules: ['admin.mint.works'],
    deviates: rest(MINT, { reply: editAt('data', (data) => delete data.tx_id) }),
  },
  'admin-mint-by-anyone': {
    breaks: 'any wallet may mint',
    rules: ['admin.mint.refused-to-others'],
    deviates: rest(MINT, { needs: { admin: false } }),
  },
  'admin-mint-by-token': {
    breaks: 'an API token of the administrator may mint',
    rules: ['admin.mint.session-only'],
    deviates: rest(MINT, { needs: { session: false } }),
  },
  'admin-mint-any-spelling': {
    breaks: 'the amount of a mint may be spelled in any way',
    rules: ['admin.mint.canonical'],
    deviates: mintedWithout(/^[^1-9]+|[^0-9]/g),
  },
  'admin-mint-comma': {
    breaks: 'the amount of a mint may have a decimal comma',
    rules: ['admin.mint.canonical'],
    deviates: mintedWithout(/,0+$/),
  },
  'admin-codes-total-text': {
    breaks: 'the number of referral codes is a string',
    rules: ['admin.codes.record'],
    deviates: rest(CODES, { reply: editAt('data', (data) => Object.assign(data, { total: 'many' })) }),
  },
  'admin-codes-undated': {
    breaks: 'referral codes have no creation time',
    rules: ['admin.codes.record'],
    deviates: eachCode((code) => delete code.created_at),
  },
  'admin-codes-issued-to-number': {
    breaks: 'the wallet of a referral code is a JSON number',
    rules: ['admin.codes.record'],
    deviates: eachCode((code) => Object.assign(code, { issued_to: 7 })),
  },
  'admin-codes-by-anyone': {
    breaks: 'any wallet may read the referral code inventory',
    rules: ['admin.codes.refused-to-others'],
    deviates: rest(CODES, { needs: { admin: false } }),
  },
  'admin-codes-by-token': {
    breaks: 'an API token of the administrator reads the referral code inventory',
    rules: ['admin.codes.session-only'],
    deviates: rest(CODES, { needs: { session: false } }),
  },
} as const satisfies DeviationTable

export const REFERRAL_MUTANTS = {
  'referral-status-text': {
    breaks: 'has_access of /referral/status is a string',
    rules: ['referral.status.record'],
    deviates: accessAsText('GET /referral/status'),
  },
  'referral-access-text': {
    breaks: 'has_access of /access/status is a string',
    rules: ['referral.access.record'],
    deviates: accessAsText('GET /access/status'),
  },
  'referral-redeem-by-token': {
    breaks: 'an API token may redeem a referral code',
    rules: ['referral.redeem.session-only'],
    deviates: rest(({ profile }) => `POST ${profile.referral.redeemPath}`, { needs: { session: false } }),
  },
  'referral-attribution-by-token': {
    breaks: 'an API token may attribute a wallet to a referral code',
    rules: ['referral.attribution.session-only'],
    deviates: rest(({ profile }) => `POST ${profile.referral.attributionPath}`, {
      needs: { session: false },
    }),
  },
} as const satisfies DeviationTable

/** Drops some characters of the amount of a mint before it is read. */
function mintedWithout(characters: RegExp): Deviation {
  return rest(MINT, {
    read: (body) => {
      if (typeof body.amount === 'string') body.amount = body.amount.replace(characters, '')
    },
  })
}

function eachCode(change: (code: Fields) => void): Deviation {
  return rest(CODES, {
    reply: edit((body) => {
      for (const code of valueAt(body, 'data.codes') as Fields[]) change(code) // as: the stub's list
    }),
  })
}

function accessAsText(route: string): Deviation {
  return rest(route, { reply: editAt('data', (data) => Object.assign(data, { has_access: 'true' })) })
}
