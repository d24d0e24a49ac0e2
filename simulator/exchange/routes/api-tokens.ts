import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { apiTokenCreatedSchema, apiTokenRevokedSchema } from '../../../contract/schemas/auth.ts'
import type { ApiTokenInfo } from '../../auth/api-tokens.ts'
import type { Auth } from '../../auth/auth.ts'
import { CHOICES } from '../../choices.ts'
import { requireCredential } from '../access.ts'
import { timestamp } from '../records.ts'
import { Refusal } from '../refusal.ts'

export const apiTokenRoutes: FastifyPluginAsyncZod<{ auth: Auth }> = async (app, { auth }) => {
  app.post(
    '/api-tokens',
    {
      config: { access: 'session' },
      schema: { body: createBodySchema, response: { 200: apiTokenCreatedSchema } },
    },
    (request) => {
      const { address } = requireCredential(request)
      const { name, expires_in_days: expiresInDays } = request.body
      const created = auth.apiTokens.create({ address, name, expiresInDays: expiresInDays ?? null })
      if (!created) throw new Refusal('api_token_limit')
      return { data: { ...metadata(created.info), token: created.secret } }
    },
  )

  app.get(
    '/api-tokens',
    { config: { access: 'session' }, schema: { response: { 200: listBodySchema } } },
    (request) => ({
      data: auth.apiTokens.list(requireCredential(request).address).map((token) => ({
        ...metadata(token),
        ...(token.secret !== null && { token: token.secret }), // the mutant api-token-secret-listed alone keeps it
      })),
    }),
  )

  app.delete(
    '/api-tokens/:id',
    {
      config: { access: 'session' },
      schema: { params: z.object({ id: z.uuid() }), response: { 200: apiTokenRevokedSchema } },
    },
    (request) => {
      const { id } = request.params
      const { address } = requireCredential(request)
      if (!auth.apiTokens.revoke({ address, id })) throw new Refusal('api_token_not_found')
      return { data: { id, revoked: true } }
    },
  )
}

const { nameLengthMin, nameLengthMax, expiresInDaysMin, expiresInDaysMax } = CHOICES.apiTokens

const createBodySchema = z.object({
  name: z.string().min(nameLengthMin).max(nameLengthMax),
  expires_in_days: z.int().min(expiresInDaysMin).max(expiresInDaysMax).nullish(),
})

const listBodySchema = z.object({
  data: z.array(apiTokenCreatedSchema.shape.data.partial({ token: true })),
})

function metadata(token: ApiTokenInfo) {
  return {
    id: token.id,
    name: token.name,
    token_prefix: token.prefix,
    created_at: timestamp(token.createdAtMs),
    ...(token.expiresAtMs !== null && { expires_at: timestamp(token.expiresAtMs) }),
  }
}
