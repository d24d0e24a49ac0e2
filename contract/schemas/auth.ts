import { z } from 'zod'

export const challengeBodySchema = z.object({ data: z.object({ nonce: z.string(), message: z.string() }) })

export const apiTokenCreatedSchema = z.object({
  data: z.object({
    id: z.uuid(),
    name: z.string(),
    token: z.string().startsWith('ss_'),
    token_prefix: z.string(),
    created_at: z.string(),
    expires_at: z.string().optional(),
  }),
})

export const apiTokenRevokedSchema = z.object({ data: z.object({ id: z.uuid(), revoked: z.boolean() }) })
