/** What an administrator's endpoints answer, no more of it than the specification states (Resources). */
import { z } from 'zod'

export const mintResultSchema = z.object({ data: z.object({ status: z.string(), tx_id: z.string() }) })

/** Of a code that nobody has got or redeemed there is nothing to show; each was created. */
const told = z.string().nullable().optional()

export const codeInventorySchema = z.object({
  data: z.object({
    total: z.int(),
    available: z.int(),
    redeemed: z.int(),
    codes: z.array(
      z.object({
        code: z.string(),
        created_at: z.string(),
        issued_to: told,
        redeemed_at: told,
        redeemed_by: told,
      }),
    ),
  }),
})
