import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Auth } from '../../auth/auth.ts'
import type { MutantName } from '../../mutants.ts'
import { requireCredential } from '../access.ts'
import { clearSessionCookies } from '../cookies.ts'
import { timestamp } from '../records.ts'
import { Refusal } from '../refusal.ts'

type Options = { auth: Auth; mutant: MutantName | null }

/** Listing and ending the sessions of a wallet. */
export const sessionRoutes: FastifyPluginAsyncZod<Options> = async (app, { auth, mutant }) => {
  app.get(
    '/auth/sessions',
    { config: { access: 'session' }, schema: { response: { 200: sessionsBodySchema } } },
    (request) => {
      const caller = requireCredential(request)
      const data = auth.sessions.list(caller.address).map((session) => ({
        id: session.id,
        current: session.id === caller.id,
        created_at: timestamp(session.createdAtMs),
        refreshed_at: timestamp(session.refreshedAtMs),
        expires_at: timestamp(session.expiresAtMs),
      }))
      return { data }
    },
  )

  app.post(
    '/auth/sessions/:session_id/revoke',
    {
      config: { access: 'session' },
      schema: { params: z.object({ session_id: z.uuid() }), response: { 200: revokedBodySchema } },
    },
    (request, reply) => {
      const caller = requireCredential(request)
      const session = auth.sessions.byId(request.params.session_id)
      if (session?.address !== caller.address) throw new Refusal('session_not_found')
      auth.sessions.end(session.id)
      if (session.id === caller.id) clearSessionCookies(reply)
      return { data: { id: session.id, revoked: true } }
    },
  )

  app.post(
    '/auth/logout',
    { config: { access: 'session' }, schema: { response: { 200: endedBodySchema } } },
    (request, reply) => {
      const caller = requireCredential(request)
      if (mutant === 'auth-logout-ends-all') auth.sessions.endAll(caller.address)
      else auth.sessions.end(caller.id)
      clearSessionCookies(reply)
      return { data: { ended: 1 } }
    },
  )

  app.post(
    '/auth/logout-all',
    { config: { access: 'session' }, schema: { response: { 200: endedBodySchema } } },
    (request, reply) => {
      const caller = requireCredential(request)
      if (mutant === 'auth-logout-all-ends-one') auth.sessions.end(caller.id)
      const ended = mutant === 'auth-logout-all-ends-one' ? 1 : auth.sessions.endAll(caller.address)
      clearSessionCookies(reply)
      return { data: { ended } }
    },
  )
}

const sessionsBodySchema = z.object({
  data: z.array(
    z.object({
      id: z.uuid(),
      current: z.boolean(),
      created_at: z.string(),
      refreshed_at: z.string(),
      expires_at: z.string(),
    }),
  ),
})

const revokedBodySchema = z.object({ data: z.object({ id: z.uuid(), revoked: z.boolean() }) })

/** How many sessions came to their end. */
const endedBodySchema = z.object({ data: z.object({ ended: z.int() }) })
