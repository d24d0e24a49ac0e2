import { z } from 'zod'

export const challengeBodySchema = z.object({ data: z.object({ nonce: z.string(), message: z.string() }) })

/** Ids are UUIDs of any version: the specification does not name one. */
export const apiTokenCreatedSchema = z.object({
  data: z.object({
    id: z.guid(),
    name: z.string(),
    token: z.string().startsWith('ss_'),
    token_prefix: z.string(),
    created_at: z.string(),
    expires_at: z.string().optional(),
  }),
})

export const apiTokenRevokedSchema = z.object({ data: z.object({ id: z.guid(), revoked: z.boolean() }) })

const code = z.string().meta({ description: 'A referral code', examples: ['BW-7K2M-QXWD-49TP'] })
const hasAccess = z.boolean().meta({ description: 'Whether the wallet may use the exchange' })

export const accessStatusBodySchema = z.object({ data: z.object({ has_access: hasAccess }) })

export const referralStatusBodySchema = z.object({
  data: z.object({
    has_access: hasAccess,
    code: code.optional().describe('The code that the wallet may pass on; omitted if it has none'),
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

/** Responses of the administrator's endpoints, limited to what the specification states (Resources). */
export const mintResultSchema = z.object({ data: z.object({ status: z.string(), tx_id: z.string() }) })

/** A code that has not been assigned or redeemed has only a creation time. */
const optionalText = z.string().nullable().optional()

export const codeInventorySchema = z.object({
  data: z.object({
    total: z.int(),
    available: z.int(),
    redeemed: z.int(),
    codes: z.array(
      z.object({
        code: z.string(),
        created_at: z.string(),
        issued_to: optionalText,
        redeemed_at: optionalText,
        redeemed_by: optionalText,
      }),
    ),
  }),
})
