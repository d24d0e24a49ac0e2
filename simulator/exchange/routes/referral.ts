import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  accessStatusBodySchema,
  referralAttributionBodySchema,
  referralCodesBodySchema,
  referralStatusBodySchema,
} from '../../../contract/schemas/access.ts'
import type { Auth } from '../../auth/auth.ts'
import type { Redemption, ReferralCode } from '../../auth/referrals.ts'
import type { Choices } from '../../choices/choices.ts'
import type { ErrorCode } from '../../choices/error-codes.ts'
import { requireCredential } from '../access/access.ts'
import { Refusal } from '../errors.ts'
import { textSchema } from '../input.ts'

type Options = { auth: Auth; choices: Choices }

/** Invitations: a wallet's own code, redeeming one, and the inventory. */
export const referralRoutes: FastifyPluginAsyncZod<Options> = async (app, { auth, choices }) => {
  const { redeemPath, attributionPath, code: field } = choices.profile.referral
  const { timestamp, address: addressCodec } = choices.wire
  const codeRequestSchema = z.object({
    [field]: textSchema({ min: 1, max: CODE_LENGTH_MAX }).describe('A referral code'),
  })
  const describeStatus = (address: string) => {
    const code = auth.referrals.findCode(address)
    return { data: { has_access: auth.hasAccess(address), ...(code !== undefined && { code }) } }
  }

  app.get(
    '/referral/status',
    {
      config: { access: 'cred', servesWithoutAccess: true },
      schema: {
        description: 'The wallet’s access, and the referral code that it may pass on.',
        response: { 200: referralStatusBodySchema },
      },
    },
    (request) => describeStatus(requireCredential(request).address),
  )

  app.post(
    redeemPath,
    {
      config: { access: 'session', servesWithoutAccess: true, errors: Object.values(REFUSED) },
      schema: {
        description:
          'Redeems a referral code: the wallet then has access. A wallet redeems one; repeating the request returns the same.',
        body: codeRequestSchema,
        response: { 200: referralStatusBodySchema },
      },
    },
    (request) => {
      const { address } = requireCredential(request)
      requireDone(auth.redeemCode({ address, code: request.body[field] ?? '' }))
      return describeStatus(address)
    },
  )

  app.post(
    attributionPath,
    {
      config: {
        access: 'session',
        servesWithoutAccess: true,
        errors: [REFUSED.unknown, REFUSED.own, REFUSED.second],
      },
      schema: {
        description:
          'Attributes the wallet to a code without redeeming it. Repeating the request returns the same.',
        body: codeRequestSchema,
        response: { 200: referralAttributionBodySchema },
      },
    },
    (request) => {
      const { address } = requireCredential(request)
      const code = request.body[field] ?? ''
      requireDone(auth.referrals.attribute({ address, code }))
      return { data: { code, attributed_at: timestamp(auth.referrals.findAttribution(address)?.atMs ?? 0) } }
    },
  )

  app.get(
    '/referral/codes',
    {
      config: { access: 'admin' },
      schema: {
        description: 'Every referral code, in order of creation, and the number still available.',
        response: { 200: referralCodesBodySchema },
      },
    },
    () => {
      const codes = auth.referrals.list()
      const redeemed = codes.filter(({ redemption }) => redemption).length
      const record = ({ code, createdAtMs, issuedTo, redemption }: ReferralCode) => ({
        code,
        created_at: timestamp(createdAtMs),
        ...(issuedTo !== null && { issued_to: addressCodec.encode(issuedTo) }),
        ...(redemption && {
          redeemed_at: timestamp(redemption.atMs),
          redeemed_by: addressCodec.encode(redemption.by),
        }),
      })
      const counts = { total: codes.length, available: codes.length - redeemed, redeemed }
      return { data: { ...counts, codes: codes.map(record) } }
    },
  )
}

const CODE_LENGTH_MAX = 64

const REFUSED = {
  unknown: 'referral_code_unknown',
  taken: 'referral_code_taken',
  own: 'referral_code_own',
  second: 'referral_second',
} as const satisfies Record<Exclude<Redemption, 'done'>, ErrorCode>

function requireDone(outcome: Redemption): void {
  if (outcome !== 'done') throw new Refusal(REFUSED[outcome])
}

export const accessStatusRoutes: FastifyPluginAsyncZod<{ auth: Auth }> = async (app, { auth }) => {
  app.get(
    '/access/status',
    {
      config: { access: 'cred', servesWithoutAccess: true },
      schema: {
        description: 'True if the wallet has access.',
        response: { 200: accessStatusBodySchema },
      },
    },
    (request) => ({ data: { has_access: auth.hasAccess(requireCredential(request).address) } }),
  )
}
