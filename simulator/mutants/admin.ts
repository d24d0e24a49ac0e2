import type { MutantTable } from './mutant-table.ts'

export const ADMIN_MUTANTS = {
  'admin-mint-without-tx': { breaks: 'a mint does not tell its transaction', rules: ['admin.mint.works'] },
  'admin-mint-by-anyone': { breaks: 'any wallet may mint', rules: ['admin.mint.refused-to-others'] },
  'admin-mint-by-token': {
    breaks: 'an API token of the administrator may mint',
    rules: ['admin.mint.session-only'],
  },
  'admin-mint-any-spelling': {
    breaks: 'the amount of a mint may be spelt in any way',
    rules: ['admin.mint.canonical'],
  },
  'admin-mint-comma': {
    breaks: 'the amount of a mint may have a decimal comma',
    rules: ['admin.mint.canonical'],
  },
  'admin-codes-total-text': {
    breaks: 'the number of referral codes is a string',
    rules: ['admin.codes.record'],
  },
  'admin-codes-undated': {
    breaks: 'referral codes do not tell when they were created',
    rules: ['admin.codes.record'],
  },
  'admin-codes-issued-to-number': {
    breaks: 'the wallet that a referral code was issued to is a number',
    rules: ['admin.codes.record'],
  },
  'admin-codes-by-anyone': {
    breaks: 'any wallet may read the inventory of referral codes',
    rules: ['admin.codes.refused-to-others'],
  },
  'admin-codes-by-token': {
    breaks: 'an API token of the administrator reads the inventory of referral codes',
    rules: ['admin.codes.session-only'],
  },
} as const satisfies MutantTable

export const REFERRAL_MUTANTS = {
  'referral-status-text': {
    breaks: 'has_access of /referral/status is a string',
    rules: ['referral.status.record'],
  },
  'referral-access-text': {
    breaks: 'has_access of /access/status is a string',
    rules: ['referral.access.record'],
  },
  'referral-redeem-by-token': {
    breaks: 'a referral code is redeemed by API token',
    rules: ['referral.redeem.session-only'],
  },
  'referral-attribution-by-token': {
    breaks: 'a wallet is attributed to a referral code by API token',
    rules: ['referral.attribution.session-only'],
  },
} as const satisfies MutantTable
