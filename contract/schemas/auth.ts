import { z } from 'zod'

export const challengeBodySchema = z.object({ data: z.object({ nonce: z.string(), message: z.string() }) })

/** Ids are UUIDs of any version: which one is not stated. */
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
