import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { apiTokenCreatedSchema, apiTokenRevokedSchema } from '../../../contract/schemas/auth.ts'
import type { ApiTokenInfo } from '../../auth/api-tokens.ts'
import type { Auth } from '../../auth/auth.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/shaped.ts'
import { requireCredential } from '../access/access.ts'
import { Refusal } from '../errors/refusal.ts'
import { textSchema } from '../input/text.ts'

type Options = { auth: Auth; choices: Choices }

export const apiTokenRoutes: FastifyPluginAsyncZod<Options> = async (app, { auth, choices }) => {
  const { list, id } = choices.profile.apiTokens
  const rowOf = (token: ApiTokenInfo) =>
    shaped(
      { id },
      {
        id: token.id,
        ...metadata(token, choices),
        ...(token.secret !== null && { token: token.secret }), // the mutant api-token-secret-listed alone keeps it
      },
    )

  app.post(
    '/api-tokens',
    {
      config: { access: 'session', errors: ['api_token_limit'] },
      schema: {
        description: 'Makes an API token. Its secret is in this answer and in no other.',
        body: createBodySchema(choices),
        response: { '2xx': apiTokenCreatedSchema },
      },
    },
    (request, reply) => {
      const { address } = requireCredential(request)
      const { name, expires_in_days: expiresInDays } = request.body
      const created = auth.apiTokens.create({ address, name, expiresInDays: expiresInDays ?? null })
      if (!created) throw new Refusal('api_token_limit')
      reply.code(choices.createdStatus)
      return { data: { id: created.info.id, ...metadata(created.info, choices), token: created.secret } }
    },
  )

  app.get(
    '/api-tokens',
    {
      config: { access: 'session' },
      schema: {
        description:
          'The API tokens of the wallet, by prefix: the secret is told once, when a token is made.',
        response: { 200: listBodySchema(choices) },
      },
    },
    (request) => {
      const tokens = auth.apiTokens.list(requireCredential(request).address)
      return shaped({ list }, { list: tokens.map(rowOf) })
    },
  )

  app.delete(
    '/api-tokens/:id',
    {
      config: { access: 'session', errors: ['api_token_not_found'] },
      schema: {
        description: 'Revokes an API token of the wallet.',
        params: z.object({ id: tokenIdSchema }),
        response: { 200: apiTokenRevokedSchema },
      },
    },
    (request) => {
      const { id } = request.params
      const { address } = requireCredential(request)
      if (!auth.apiTokens.revoke({ address, id })) throw new Refusal('api_token_not_found')
      return { data: { id, revoked: true } }
    },
  )
}

function createBodySchema({ apiTokens }: Choices) {
  const { nameLengthMin, nameLengthMax, expiresInDays, expiresInDaysMin, expiresInDaysMax } = apiTokens
  const days = z.int().min(expiresInDaysMin).max(expiresInDaysMax)
  return z.object({
    name: textSchema({ min: nameLengthMin, max: nameLengthMax }),
    expires_in_days: expiresInDays === 'optional' ? days.nullish() : days,
  })
}

function listBodySchema({ profile }: Choices) {
  const { list, id } = profile.apiTokens
  const row = shapedSchema({ id }, apiTokenCreatedSchema.shape.data.partial({ token: true }).shape)
  return shapedSchema({ list }, { list: z.array(row) })
}

/** Any other text is the id of no token: 404. */
const tokenIdSchema = z.string().meta({ description: 'The id of a token of the wallet', format: 'uuid' })

/** Of a token, all but id and secret. */
function metadata(token: ApiTokenInfo, { wire }: Choices) {
  return {
    name: token.name,
    token_prefix: token.prefix,
    created_at: wire.timestamp(token.createdAtMs),
    ...(token.expiresAtMs !== null && { expires_at: wire.timestamp(token.expiresAtMs) }),
  }
}
