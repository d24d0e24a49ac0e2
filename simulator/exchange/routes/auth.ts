import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { challengeBodySchema } from '../../../contract/schemas/auth.ts'
import type { Auth } from '../../auth/auth.ts'
import type { Grant } from '../../auth/sessions.ts'
import { CHOICES } from '../../choices.ts'
import type { Clock } from '../../clock.ts'
import type { MutantName } from '../../mutants.ts'
import { requireCredential } from '../access.ts'
import { clearSessionCookies, setSessionCookies } from '../cookies.ts'
import { timestamp } from '../records.ts'
import { Refusal } from '../refusal.ts'

type Options = { auth: Auth; clock: Clock; mutant: MutantName | null }

/** Sign-in, refresh and tickets for the live feed. */
export const authRoutes: FastifyPluginAsyncZod<Options> = async (app, { auth, clock, mutant }) => {
  const sendGrant = (reply: FastifyReply, grant: Grant) => {
    setSessionCookies(reply, { grant, clock, mutant })
    return {
      data: {
        address: grant.address,
        access_expires_at: timestamp(grant.accessExpiresAtMs),
        csrf_token: grant.csrfToken,
      },
    }
  }

  app.post(
    '/auth/challenge',
    {
      config: { access: 'public' },
      schema: { body: addressBodySchema, response: { 200: challengeBodySchema } },
    },
    (request) => ({ data: auth.challenges.issue(request.body.address) }),
  )

  app.post(
    '/auth/verify',
    {
      config: { access: 'public' },
      schema: { body: verifyRequestSchema, response: { 200: grantBodySchema } },
    },
    (request, reply) => {
      const wallet = auth.challenges.answer(request.body)
      if (!wallet) throw new Refusal('signature_invalid')
      if (!wallet.hasAccess) throw new Refusal('access_required')
      return sendGrant(reply, auth.sessions.start(wallet.address))
    },
  )

  app.post(
    '/auth/refresh',
    { config: { access: 'public' }, schema: { response: { 200: grantBodySchema } } },
    async (request, reply) => {
      const token = request.cookies[CHOICES.cookies.refresh]
      // Yields where a server with a database would: requests that came together meet here, so that a race is one.
      await eventLoopTurn()
      const result = auth.sessions.refresh(token ?? '')
      await eventLoopTurn()
      if (result.outcome === 'refused') throw new Refusal('refresh_invalid')
      if (result.outcome === 'raced') {
        if (mutant === 'auth-refresh-loser-clears') clearSessionCookies(reply)
        throw new Refusal('refresh_raced')
      }
      return sendGrant(reply, result.grant)
    },
  )

  app.get(
    '/auth/ws-ticket',
    { config: { access: 'cred' }, schema: { response: { 200: ticketBodySchema } } },
    (request) => {
      const { ticket, expiresAtMs } = auth.issueTicket(requireCredential(request))
      return { data: { ticket, expires_at: timestamp(expiresAtMs) } }
    },
  )
}

const addressBodySchema = z.object({ address: z.string().min(1).max(CHOICES.challenge.addressLengthMax) })

const verifyRequestSchema = addressBodySchema.extend({
  signature: z.string().min(1).max(CHOICES.challenge.signatureLengthMax),
})

/** Of verify and refresh alike; a page that was loaded again gets its CSRF token from the latter. */
const grantBodySchema = z.object({
  data: z.object({ address: z.string(), access_expires_at: z.string(), csrf_token: z.string() }),
})

const ticketBodySchema = z.object({ data: z.object({ ticket: z.string(), expires_at: z.string() }) })

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
