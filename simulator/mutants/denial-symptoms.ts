import { by } from './conditions.ts'
import type { Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { rest, statusOnly, success } from './reactions.ts'

/** Lets a wallet without access sign in, as the alternative choices do: what it is served then is another matter. */
const anyoneSignsIn: Deviation['auth'] = (auth, { choices }) => {
  if (choices.signInWithoutAccess === 'allowed') return {}
  let entering: string | undefined
  return {
    challenges: {
      ...auth.challenges,
      answer(request) {
        const wallet = auth.challenges.answer(request)
        entering = wallet?.address
        return wallet
      },
    },
    hasAccess(address) {
      const enters = address === entering
      entering = undefined
      return enters || auth.hasAccess(address)
    },
  }
}

/** Who is served, or refused in another way than is stated, though the route is not for them. */
export const DENIAL_SYMPTOMS = {
  'referral-attribution-by-nobody': {
    breaks: 'attribution to a referral code takes no credentials',
    rules: ['referral.attribution.session-only'],
    deviates: rest(({ profile }) => [`POST ${profile.referral.attributionPath}`], {
      when: by('missing'),
      of: [401],
      reply: success(() => ({ data: {} })),
    }),
  },
  'referral-redeem-missing-403': {
    breaks: 'a code that is redeemed without credentials is refused with 403',
    rules: ['referral.redeem.session-only'],
    deviates: rest(({ profile }) => [`POST ${profile.referral.redeemPath}`], {
      when: by('missing'),
      of: [401],
      reply: statusOnly(403),
    }),
  },
  'auth-access-not-for-unclaimed': {
    breaks: 'a wallet without access signs in, and reads /unclaimed',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: () => ['GET /unclaimed'], needs: { access: false } }],
    },
  },
  'auth-access-not-for-route': {
    breaks: 'a wallet without access signs in, and gets routes',
    rules: ['auth.access.denied-403'],
    deviates: { auth: anyoneSignsIn, rest: [{ routes: () => ['GET /route'], needs: { access: false } }] },
  },
  'auth-access-not-for-balances': {
    breaks: 'a wallet without access signs in, and reads its balances',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: ({ profile }) => [`GET ${profile.balancesPath}`], needs: { access: false } }],
    },
  },
  'auth-access-not-for-tokens': {
    breaks: 'a wallet without access signs in, and makes API tokens',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [
        {
          routes: () => ['POST /api-tokens', 'DELETE /api-tokens/:id'],
          needs: { access: false },
        },
      ],
    },
  },
  'auth-access-denied-401': {
    breaks: 'a wallet without access signs in, and gets 401 at /fee-tiers',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: () => ['GET /fee-tiers'], when: by('session'), of: [403], reply: statusOnly(401) }],
    },
  },
} as const satisfies DeviationTable
