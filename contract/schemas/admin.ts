/** What an administrator's endpoints answer, no more of it than the specification states (Resources). */
import { z } from 'zod'

export const mintResultSchema = z.object({ data: z.object({ status: z.string(), tx_id: z.string() }) })

/** What of a code is required is not stated: of one that nobody has redeemed there is little to tell. */
const told = z.string().nullable().optional()

export const codeInventorySchema = z.object({
  data: z.object({
    total: z.int(),
    available: z.int(),
    redeemed: z.int(),
    codes: z.array(
      z.object({
        code: z.string(),
        created_at: told,
        issued_to: told,
        redeemed_at: told,
        redeemed_by: told,
      }),
    ),
  }),
})
