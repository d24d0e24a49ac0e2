import { z } from 'zod'

const code = z.string().meta({ description: 'A referral code', examples: ['BW-7K2M-QXWD-49TP'] })
const hasAccess = z.boolean().meta({ description: 'Whether the wallet may use the exchange' })

export const accessStatusBodySchema = z.object({ data: z.object({ has_access: hasAccess }) })

export const referralStatusBodySchema = z.object({
  data: z.object({
    has_access: hasAccess,
    code: code.optional().describe('The code that the wallet may pass on; left out where it has none'),
  }),
})

export const referralAttributionBodySchema = z.object({
  data: z.object({
    code,
    attributed_at: z.string().describe('Since when the wallet counts as brought by the code'),
  }),
})

export const referralCodesBodySchema = z.object({
  data: z.object({
    total: z.int().nonnegative(),
    available: z.int().nonnegative().describe('Codes not redeemed yet'),
    redeemed: z.int().nonnegative(),
    codes: z.array(
      z.object({
        code,
        created_at: z.string(),
        issued_to: z.string().optional().describe('The wallet that may pass it on; left out where nobody’s'),
        redeemed_at: z.string().optional().describe('Left out while it is available, as is the wallet'),
        redeemed_by: z.string().optional(),
      }),
    ),
  }),
})
