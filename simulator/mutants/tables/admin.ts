import { valueAt } from '../../demo-client.ts'
import { all, by, from, only } from '../conditions.ts'
import type { Deviation, DeviationTable } from '../deviation.ts'
import { edit, editAt, error, type Fields, rest, success } from '../reactions.ts'

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

const REFUSED = [400, 401, 403]

const isOther = only(
  ({ request: { credential }, auth }) =>
    typeof credential !== 'string' && credential.kind === 'session' && !auth.isAdmin(credential.address),
)
const isAdministrator = only(
  ({ request: { credential }, auth }) => typeof credential !== 'string' && auth.isAdmin(credential.address),
)
const emptyInventory = success(() => ({ data: { total: 0, available: 0, redeemed: 0, codes: [] } }))
const minted = success(() => ({ data: { status: 'broadcast', tx_id: 'at1none' } }))
const ANY_ADMIN = { session: false, admin: true, csrf: true, access: true }
const ANY_SESSION = { session: true, admin: false, csrf: true, access: true }

export const ADMIN_SYMPTOMS = {
  'admin-mint-403': {
    breaks: 'every mint returns 403, to administrators too',
    rules: ['admin.mint.works'],
    deviates: rest(MINT, { reply: error(403) }),
  },
  'admin-mint-without-status': {
    breaks: 'the response to a mint has no status',
    rules: ['admin.mint.works'],
    deviates: rest(MINT, { reply: editAt('data', (data) => delete data.status) }),
  },
  'admin-mint-others-200': {
    breaks: 'a mint by a wallet that is not an administrator returns 200 and does nothing',
    rules: ['admin.mint.refused-to-others'],
    deviates: rest(MINT, { of: REFUSED, when: isOther, reply: minted }),
  },
  'admin-mint-others-later': {
    breaks: 'other wallets may mint from the second attempt on',
    rules: ['admin.mint.refused-to-others'],
    deviates: rest(MINT, { when: all(isOther, from(2)), needs: ANY_SESSION }),
  },
  'admin-mint-others-only': {
    breaks: 'every wallet may mint, except administrators, who get 422',
    rules: ['admin.mint.refused-to-others'],
    deviates: {
      rest: [
        { routes: () => [MINT], when: isOther, needs: ANY_SESSION },
        { routes: () => [MINT], when: isAdministrator, reply: error(422) },
      ],
    },
  },
  'admin-mint-token-200': {
    breaks: 'a mint by an API token returns 200 and does nothing',
    rules: ['admin.mint.session-only'],
    deviates: rest(MINT, { of: REFUSED, when: by('api-token'), reply: minted }),
  },
  'admin-mint-token-later': {
    breaks: 'an API token of the administrator may mint from the second attempt on',
    rules: ['admin.mint.session-only'],
    deviates: rest(MINT, { when: all(by('api-token'), from(2)), needs: ANY_ADMIN }),
  },
  'admin-codes-others-later': {
    breaks: 'other wallets may read referral codes from the second attempt on',
    rules: ['admin.codes.refused-to-others'],
    deviates: rest(CODES, { when: all(isOther, from(2)), needs: ANY_SESSION }),
  },
  'admin-codes-token-later': {
    breaks: 'an API token of the administrator may read referral codes from the second attempt on',
    rules: ['admin.codes.session-only'],
    deviates: rest(CODES, { when: all(by('api-token'), from(2)), needs: ANY_ADMIN }),
  },
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
        const last = (codes as Fields[]).at(-1) // as: the stub's inventory
        if (last) last.code = 7
      }),
    }),
  },
  'admin-codes-by-code': {
    breaks: 'the codes of the inventory are an object instead of a list',
    rules: ['admin.codes.record'],
    deviates: rest(CODES, { reply: editAt('data', (data) => Object.assign(data, { codes: {} })) }),
  },
  'admin-codes-redeemed-not-counted': {
    breaks: 'a redeemed code of the inventory is not in `redeemed`',
    rules: ['admin.codes.record'],
    deviates: rest(CODES, {
      reply: editAt('data', ({ codes }) => {
        const [first] = codes as Fields[] // as: the stub's inventory
        if (first) Object.assign(first, { redeemed_by: 'another wallet', redeemed_at: first.created_at })
      }),
    }),
  },
  'admin-codes-all-available': {
    breaks: 'the inventory counts one code as redeemed, and all codes as available',
    rules: ['admin.codes.record'],
    deviates: rest(CODES, { reply: editAt('data', (data) => Object.assign(data, { redeemed: 1 })) }),
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
    breaks: '/referral/status has no has_access',
    rules: ['referral.status.record'],
    deviates: rest('GET /referral/status', { reply: editAt('data', (data) => delete data.has_access) }),
  },
  'referral-access-null': {
    breaks: '/access/status returns null as has_access',
    rules: ['referral.access.record'],
    deviates: rest('GET /access/status', {
      reply: editAt('data', (data) => Object.assign(data, { has_access: null })),
    }),
  },
  'referral-redeem-token-200': {
    breaks: 'redeem with an API token returns 200',
    rules: ['referral.redeem.session-only'],
    deviates: rest(({ profile }) => `POST ${profile.referral.redeemPath}`, {
      of: [401, 403],
      when: by('api-token'),
      reply: success(() => ({ data: { has_access: true } })),
    }),
  },
  'referral-attribution-token-200': {
    breaks: 'attribution with an API token returns 200',
    rules: ['referral.attribution.session-only'],
    deviates: rest(({ profile }) => `POST ${profile.referral.attributionPath}`, {
      of: [401, 403],
      when: by('api-token'),
      reply: success(() => ({ data: { has_access: true } })),
    }),
  },
} as const satisfies DeviationTable

/** Mints that accept a non-canonical spelling of the amount. */
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
