import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { challengeBodySchema } from '../../../contract/schemas/access.ts'
import type { Auth } from '../../auth/auth.ts'
import type { Grant } from '../../auth/sessions.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/wire.ts'
import type { Clock } from '../../clock.ts'
import { requireCredential } from '../access/access.ts'
import { setSessionCookies } from '../access/browsers.ts'
import { Refusal, skewedMs } from '../errors.ts'
import { textSchema } from '../input.ts'

type Options = {
  auth: Auth
  clock: Clock
  choices: Choices
  turn?: () => Promise<void>
}

export const authRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { auth, clock, choices, turn = eventLoopTurn } = options
  const { wire, profile } = choices
  const grantBody = grantBodySchema(choices)
  const sendGrant = (reply: FastifyReply, grant: Grant) => {
    setSessionCookies(reply, { grant, clock, choices })
    return shaped(profile.verify, {
      address: wire.address.encode(grant.address),
      accessExpiresAt: wire.expiry(skewedMs(reply.request, grant.accessExpiresAtMs)),
      csrfToken: grant.csrfToken,
    })
  }

  app.post(
    '/auth/challenge',
    {
      config: { access: 'public' },
      schema: {
        description: 'Starts a sign-in: sign `data.message` exactly as received.',
        body: addressBodySchema(choices),
        response: { '2xx': challengeBodySchema },
      },
    },
    (request, reply) => {
      reply.code(choices.createdStatus)
      return { data: auth.challenges.issue(request.body.address) }
    },
  )

  app.post(
    '/auth/verify',
    {
      config: { access: 'public', errors: ['signature_invalid', 'access_required'] },
      schema: {
        description:
          'Signs in with the wallet’s signature over the UTF-8 bytes of the message. Sets the access and the refresh cookie; accepts the terms of use.',
        body: verifyRequestSchema(choices),
        response: { '2xx': grantBody },
      },
    },
    (request, reply) => {
      const wallet = auth.challenges.answer(request.body)
      if (!wallet) throw new Refusal('signature_invalid')
      const mayEnter = choices.signInWithoutAccess === 'allowed' || auth.hasAccess(wallet.address)
      if (!mayEnter) throw new Refusal('access_required')
      auth.acceptTerms(wallet.address)
      reply.code(choices.createdStatus)
      return sendGrant(reply, auth.sessions.start(wallet.address))
    },
  )

  app.post(
    '/auth/refresh',
    {
      config: { access: 'public', errors: ['refresh_invalid', 'refresh_raced'] },
      schema: {
        description:
          'Extends a session: uses up the refresh cookie and sets both cookies again. Of two concurrent requests one may get 409: send it again with the cookies of the other.',
        security: [{ refreshToken: [] }],
        response: { 200: grantBody },
      },
    },
    async (request, reply) => {
      const token = request.cookies[profile.cookies.refresh]
      // Yields as a server with a database would, so that concurrent requests race.
      await turn()
      const result = auth.sessions.refresh(token ?? '')
      await turn()
      if (result.outcome === 'refused') throw new Refusal('refresh_invalid')
      if (result.outcome === 'raced') throw new Refusal('refresh_raced')
      return sendGrant(reply, result.grant)
    },
  )

  app.get(
    '/auth/ws-ticket',
    {
      config: { access: 'cred' },
      schema: {
        description: 'Issues a ticket for the live feed, valid for 60 seconds.',
        response: { 200: ticketBodySchema(choices) },
      },
    },
    (request) => {
      const { ticket, expiresAtMs } = auth.issueTicket(requireCredential(request))
      return shaped(profile.wsTicket, {
        ticket,
        'data.expires_at': wire.timestamp(skewedMs(request, expiresAtMs)),
      })
    },
  )
}

function addressBodySchema({ challenge }: Choices) {
  return z.object({ address: textSchema({ min: 1, max: challenge.addressLengthMax }) })
}

function verifyRequestSchema(choices: Choices) {
  const signature = textSchema({ min: 1, max: choices.challenge.signatureLengthMax })
  return addressBodySchema(choices).extend({ signature })
}

/** Body of verify and refresh; a reloaded page gets its CSRF token from the latter. */
function grantBodySchema({ profile }: Choices) {
  const accessExpiresAt = z.union([z.string(), z.int()])
  const grant = { address: z.string(), accessExpiresAt, csrfToken: z.string() }
  return shapedSchema(profile.verify, grant).meta({ headers: { 'Set-Cookie': SET_COOKIE } })
}

const SET_COOKIE = { type: 'string', description: 'The access and the refresh cookie, one header each' }

function ticketBodySchema({ profile }: Choices) {
  return shapedSchema(profile.wsTicket, { ticket: z.string(), 'data.expires_at': z.string() })
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
