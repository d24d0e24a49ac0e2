import { all, by, from, only } from '../deviations/conditions.ts'
import type { Answer, Condition, RestDeviation, Sent } from '../deviations/deviation.ts'
import { editAt, error, hang, rest, statusOnly, success } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'

const MINT = 'POST /tokens/mint'
const CODES = 'GET /referral/codes'
const REFUSED = [400, 401, 403]
const ANY_ADMIN = { session: false, admin: true, csrf: true, access: true }
const ANY_SESSION = { session: true, admin: false, csrf: true, access: true }

const isOther = only(
  ({ request: { credential }, auth }) =>
    typeof credential !== 'string' && credential.kind === 'session' && !auth.isAdmin(credential.address),
)
const WHO: Record<'other' | 'token', { when: Condition; name: string; rule: string }> = {
  other: { when: isOther, name: 'a wallet that is not an administrator', rule: 'refused-to-others' },
  token: { when: by('api-token'), name: 'an API token', rule: 'session-only' },
}
const minted = success(() => ({ data: { status: 'broadcast', tx_id: 'at1none' } }))

/** Other ways to break the operations of an administrator. */
export const MINT_SYMPTOMS = {
  'admin-mint-500': mint('returns 500', { reply: error(500) }),
  'admin-mint-silent': mint('never responds', { reply: hang }),
  'admin-mint-without-status': mint('does not respond with its status', {
    reply: editAt('data', (data) => delete data.status),
  }),
  'admin-mint-tx-number': mint('responds with a JSON number as its transaction', {
    reply: editAt('data', (data) => Object.assign(data, { tx_id: 17 })),
  }),
  'admin-mint-others-200': refusedMint('other', 'returns 200, and does nothing', minted),
  'admin-mint-others-error-in-200': refusedMint('other', 'returns 200 with an error body', statusOnly(200)),
  'admin-mint-others-later': {
    breaks: 'other wallets may mint from the second try on',
    rules: ['admin.mint.refused-to-others'],
    deviates: rest(MINT, { when: all(isOther, from(2)), needs: ANY_SESSION }),
  },
  'admin-mint-token-200': refusedMint('token', 'returns 200, and does nothing', minted),
  'admin-mint-token-error-in-200': refusedMint('token', 'returns 200 with an error body', statusOnly(200)),
  'admin-mint-token-later': {
    breaks: 'an API token of the administrator may mint from the second try on',
    rules: ['admin.mint.session-only'],
    deviates: rest(MINT, { when: all(by('api-token'), from(2)), needs: ANY_ADMIN }),
  },
  'admin-codes-others-500': refusedCodes('other', 'returns 500', error(500)),
  'admin-codes-others-error-in-200': refusedCodes('other', 'returns 200 with an error body', statusOnly(200)),
  'admin-codes-token-500': refusedCodes('token', 'returns 500', error(500)),
  'admin-codes-token-error-in-200': refusedCodes('token', 'returns 200 with an error body', statusOnly(200)),
} as const satisfies DeviationTable

type Reaction = (answer: Answer) => Sent

function mint(how: string, deviates: Omit<RestDeviation, 'routes'>) {
  return { breaks: `a mint ${how}`, rules: ['admin.mint.works'], deviates: rest(MINT, deviates) }
}

function refusedMint(who: keyof typeof WHO, how: string, reply: Reaction) {
  const { when, name, rule } = WHO[who]
  return {
    breaks: `a mint by ${name} ${how}`,
    rules: [`admin.mint.${rule}`],
    deviates: rest(MINT, { of: REFUSED, when, reply }),
  }
}

function refusedCodes(who: keyof typeof WHO, how: string, reply: Reaction) {
  const { when, name, rule } = WHO[who]
  return {
    breaks: `a read of referral codes by ${name} ${how}`,
    rules: [`admin.codes.${rule}`],
    deviates: rest(CODES, { of: REFUSED, when, reply }),
  }
}
