import { by, only } from '../deviations/conditions.ts'
import { editAt, type Fields, rest, success } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'

const MINT = 'POST /tokens/mint'
const CODES = 'GET /referral/codes'
const REFUSED = [400, 401, 403]

const isOther = only(
  ({ request: { credential }, auth }) =>
    typeof credential !== 'string' && credential.kind === 'session' && !auth.isAdmin(credential.address),
)
const emptyInventory = success(() => ({ data: { total: 0, available: 0, redeemed: 0, codes: [] } }))
export const ADMIN_SYMPTOMS = {
  'admin-mint-zeros': spelled('leading zeros', /^0+(?=[1-9])/),
  'admin-codes-without-available': {
    breaks: 'the inventory of referral codes has no `available`',
    rules: ['admin.codes.record'],
    deviates: rest(CODES, { reply: editAt('data', (data) => delete data.available) }),
  },
  'admin-codes-code-number': {
    breaks: 'the last referral code of the inventory is a JSON number',
    rules: ['admin.codes.record'],
    deviates: rest(CODES, {
      reply: editAt('data', ({ codes }) => {
        const last = (codes as Fields[]).at(-1) // as: the stub's own inventory
        if (last) last.code = 7
      }),
    }),
  },
  'admin-codes-by-code': {
    breaks: 'the codes of the inventory are an object instead of a list',
    rules: ['admin.codes.record'],
    deviates: rest(CODES, { reply: editAt('data', (data) => Object.assign(data, { codes: {} })) }),
  },
  'admin-codes-others-empty': {
    breaks: 'a wallet that may not read referral codes gets an empty inventory',
    rules: ['admin.codes.refused-to-others'],
    deviates: rest(CODES, { of: REFUSED, when: isOther, reply: emptyInventory }),
  },
  'admin-codes-token-empty': {
    breaks: 'an API token gets an empty inventory of referral codes',
    rules: ['admin.codes.session-only'],
    deviates: rest(CODES, { of: REFUSED, when: by('api-token'), reply: emptyInventory }),
  },
  'referral-status-code-number': {
    breaks: 'the code of /referral/status is a JSON number',
    rules: ['referral.status.record'],
    deviates: rest('GET /referral/status', {
      reply: editAt('data', (data) => Object.assign(data, { code: 7 })),
    }),
  },
  'referral-status-without-access': {
    breaks: '/referral/status does not answer has_access',
    rules: ['referral.status.record'],
    deviates: rest('GET /referral/status', { reply: editAt('data', (data) => delete data.has_access) }),
  },
  'referral-redeem-token-200': {
    breaks: 'redeem with an API token answers 200',
    rules: ['referral.redeem.session-only'],
    deviates: rest(({ profile }) => `POST ${profile.referral.redeemPath}`, {
      of: [401, 403],
      when: by('api-token'),
      reply: success(() => ({ data: { has_access: true } })),
    }),
  },
  'referral-attribution-token-200': {
    breaks: 'attribution with an API token answers 200',
    rules: ['referral.attribution.session-only'],
    deviates: rest(({ profile }) => `POST ${profile.referral.attributionPath}`, {
      of: [401, 403],
      when: by('api-token'),
      reply: success(() => ({ data: { has_access: true } })),
    }),
  },
} as const satisfies DeviationTable

/** A mint whose amount is in a spelling that is not canonical, and that is read all the same. */
function spelled(what: string, spelling: RegExp) {
  return {
    breaks: `the amount of a mint may have ${what}`,
    rules: ['admin.mint.canonical'],
    deviates: rest(MINT, {
      read: (body) => {
        if (typeof body.amount === 'string') body.amount = body.amount.replace(spelling, '')
      },
    }),
  }
}
