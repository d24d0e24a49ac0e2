import { by } from './conditions.ts'
import type { Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { rest, statusOnly, success } from './reactions.ts'

/**
 * Lets a wallet without access sign in, as the alternative choices do; its later requests are still judged as usual.
 */
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

/** Routes that serve those without access, or reject them with the wrong status. */
export const DENIAL_SYMPTOMS = {
  'referral-attribution-by-nobody': {
    breaks: 'attribution to a referral code needs no credentials',
    rules: ['referral.attribution.session-only'],
    deviates: rest(({ profile }) => [`POST ${profile.referral.attributionPath}`], {
      when: by('missing'),
      of: [401],
      reply: success(() => ({ data: {} })),
    }),
  },
  'referral-redeem-missing-403': {
    breaks: 'redeeming a code without credentials returns 403',
    rules: ['referral.redeem.session-only'],
    deviates: rest(({ profile }) => [`POST ${profile.referral.redeemPath}`], {
      when: by('missing'),
      of: [401],
      reply: statusOnly(403),
    }),
  },
  'auth-access-not-for-unclaimed': {
    breaks: 'a wallet without access may sign in and read /unclaimed',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: () => ['GET /unclaimed'], needs: { access: false } }],
    },
  },
  'auth-access-not-for-route': {
    breaks: 'a wallet without access may sign in and get routes',
    rules: ['auth.access.denied-403'],
    deviates: { auth: anyoneSignsIn, rest: [{ routes: () => ['GET /route'], needs: { access: false } }] },
  },
  'auth-access-not-for-balances': {
    breaks: 'a wallet without access may sign in and read its balances',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: ({ profile }) => [`GET ${profile.balancesPath}`], needs: { access: false } }],
    },
  },
  'auth-access-not-for-tokens': {
    breaks: 'a wallet without access may sign in and create API tokens',
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
    breaks: 'a wallet without access may sign in, and gets 401 at /fee-tiers',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: () => ['GET /fee-tiers'], when: by('session'), of: [403], reply: statusOnly(401) }],
    },
  },
} as const satisfies DeviationTable
