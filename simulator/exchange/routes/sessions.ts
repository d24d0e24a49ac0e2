import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { apiTokenCreatedSchema, apiTokenRevokedSchema } from '../../../contract/schemas/access.ts'
import type { ApiTokenInfo } from '../../auth/api-tokens.ts'
import type { Auth } from '../../auth/auth.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/wire.ts'
import { requireCredential } from '../access/access.ts'
import { clearSessionCookies } from '../access/browsers.ts'
import { Refusal } from '../errors.ts'
import { textSchema } from '../input.ts'
import { orderRows } from '../records/records.ts'

type Options = { auth: Auth; choices: Choices }

export const sessionRoutes: FastifyPluginAsyncZod<Options> = async (app, { auth, choices }) => {
  const { timestamp, sessionId } = choices.wire
  const { list, ...row } = choices.profile.sessions

  app.get(
    '/auth/sessions',
    {
      config: { access: 'session', servesWithoutAccess: true },
      schema: {
        description: 'The wallet’s active sessions.',
        response: { 200: sessionsBodySchema(choices) },
      },
    },
    (request) => {
      const caller = requireCredential(request)
      const listed = orderRows(auth.sessions.list(caller.address), choices.paging.sessions)
      const rows = listed.map((session) =>
        shaped(row, {
          id: sessionId.encode(session.id),
          current: session.id === caller.id,
          created_at: timestamp(session.createdAtMs),
          refreshed_at: timestamp(session.refreshedAtMs),
          expires_at: timestamp(session.expiresAtMs),
        }),
      )
      return shaped({ list }, { list: rows })
    },
  )

  app.post(
    '/auth/sessions/:session_id/revoke',
    {
      config: {
        access: 'session',
        servesWithoutAccess: true,
        errors: ['invalid_request', 'session_not_found'],
      },
      schema: {
        description: 'Ends a session of the wallet.',
        params: z.object({ session_id: textSchema({ max: choices.keyLengthMax }) }),
        response: { 200: revokedBodySchema },
      },
    },
    (request, reply) => {
      const caller = requireCredential(request)
      const session = auth.sessions.byId(sessionId.decode(request.params.session_id) ?? '')
      if (session?.address !== caller.address) throw new Refusal('session_not_found')
      auth.sessions.end(session.id)
      if (session.id === caller.id) clearSessionCookies(reply, choices)
      return { data: { id: sessionId.encode(session.id), revoked: true } }
    },
  )

  app.post(
    '/auth/logout',
    {
      config: { access: 'session', servesWithoutAccess: true },
      schema: { description: 'Ends the session of the request.', response: { 200: endedBodySchema } },
    },
    (request, reply) => {
      const caller = requireCredential(request)
      auth.sessions.end(caller.id)
      clearSessionCookies(reply, choices)
      return { data: { ended: 1 } }
    },
  )

  app.post(
    '/auth/logout-all',
    {
      config: { access: 'session', servesWithoutAccess: true },
      schema: { description: 'Ends every session of the wallet.', response: { 200: endedBodySchema } },
    },
    (request, reply) => {
      const caller = requireCredential(request)
      const ended = auth.sessions.endAll(caller.address)
      clearSessionCookies(reply, choices)
      return { data: { ended } }
    },
  )
}

function sessionsBodySchema({ profile }: Choices) {
  const { list, ...row } = profile.sessions
  const rowSchema = shapedSchema(row, {
    id: z.string(),
    current: z.boolean(),
    created_at: z.string(),
    refreshed_at: z.string(),
    expires_at: z.string(),
  })
  return shapedSchema({ list }, { list: z.array(rowSchema) })
}

const revokedBodySchema = z.object({ data: z.object({ id: z.string(), revoked: z.boolean() }) })

const endedBodySchema = z.object({ data: z.object({ ended: z.int() }) })

type TokenOptions = { auth: Auth; choices: Choices }

export const apiTokenRoutes: FastifyPluginAsyncZod<TokenOptions> = async (app, { auth, choices }) => {
  const { list, id } = choices.profile.apiTokens
  const toRow = (token: ApiTokenInfo) => shaped({ id }, { id: token.id, ...metadata(token, choices) })

  app.post(
    '/api-tokens',
    {
      config: { access: 'session', errors: ['api_token_limit'] },
      schema: {
        description: 'Creates an API token. Only this response contains its secret.',
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
        description: 'The API tokens of the wallet, by prefix: the secret is shown once, on creation.',
        response: { 200: listBodySchema(choices) },
      },
    },
    (request) => {
      const tokens = auth.apiTokens.list(requireCredential(request).address)
      return shaped({ list }, { list: tokens.map(toRow) })
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

/** Any other text is an unknown id: 404. */
const tokenIdSchema = z.string().meta({ description: 'The id of a token of the wallet', format: 'uuid' })

function metadata(token: ApiTokenInfo, { wire }: Choices) {
  return {
    name: token.name,
    token_prefix: token.prefix,
    created_at: wire.timestamp(token.createdAtMs),
    ...(token.expiresAtMs !== null && { expires_at: wire.timestamp(token.expiresAtMs) }),
  }
}
