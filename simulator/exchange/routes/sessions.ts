import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Auth, Credential } from '../../auth/auth.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/shaped.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { requireCredential } from '../access/access.ts'
import { clearSessionCookies } from '../access/cookies.ts'
import { Refusal } from '../errors/refusal.ts'
import { textSchema } from '../input/text.ts'
import { inOrder } from '../records/list-order.ts'

type Options = { auth: Auth; choices: Choices; mutant: MutantName | null }

/** Listing and ending the sessions of a wallet. */
export const sessionRoutes: FastifyPluginAsyncZod<Options> = async (app, { auth, choices, mutant }) => {
  const { timestamp, sessionId } = choices.wire
  const { list, ...row } = choices.profile.sessions
  const end = (id: string, { halfway }: { halfway: MutantName }) =>
    mutant === halfway ? auth.sessions.endAccess(id) : auth.sessions.end(id)
  const endAll = ({ id, address }: Credential): number => {
    if (mutant === 'auth-logout-all-ends-one') auth.sessions.end(id)
    else if (mutant === 'auth-logout-all-keeps-refresh')
      for (const session of auth.sessions.list(address)) auth.sessions.endAccess(session.id)
    else return auth.sessions.endAll(address)
    return 1
  }

  app.get(
    '/auth/sessions',
    {
      config: { access: 'session' },
      schema: {
        description: 'The sessions of the wallet that have not ended.',
        response: { 200: sessionsBodySchema(choices) },
      },
    },
    (request) => {
      const caller = requireCredential(request)
      const listed = inOrder(auth.sessions.list(caller.address), choices.paging.sessions)
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
      config: { access: 'session', errors: ['invalid_request', 'session_not_found'] },
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
      if (mutant !== 'auth-sessions-revoke-nothing')
        end(session.id, { halfway: 'auth-sessions-revoke-keeps-refresh' })
      if (session.id === caller.id) clearSessionCookies(reply, choices)
      return { data: { id: sessionId.encode(session.id), revoked: true } }
    },
  )

  app.post(
    '/auth/logout',
    {
      config: { access: 'session' },
      schema: { description: 'Ends the session of the request.', response: { 200: endedBodySchema } },
    },
    (request, reply) => {
      const caller = requireCredential(request)
      if (mutant === 'auth-logout-ends-all') auth.sessions.endAll(caller.address)
      else end(caller.id, { halfway: 'auth-logout-keeps-refresh' })
      clearSessionCookies(reply, choices)
      return { data: { ended: 1 } }
    },
  )

  app.post(
    '/auth/logout-all',
    {
      config: { access: 'session' },
      schema: { description: 'Ends every session of the wallet.', response: { 200: endedBodySchema } },
    },
    (request, reply) => {
      const caller = requireCredential(request)
      const ended = endAll(caller)
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

/** How many sessions came to their end. */
const endedBodySchema = z.object({ data: z.object({ ended: z.int() }) })
