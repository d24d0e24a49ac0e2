import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { accessStatusBodySchema } from '../../../contract/schemas/referral.ts'
import type { Auth } from '../../auth/auth.ts'
import { requireCredential } from '../access/access.ts'

export const accessStatusRoutes: FastifyPluginAsyncZod<{ auth: Auth }> = async (app, { auth }) => {
  app.get(
    '/access/status',
    {
      config: { access: 'cred', servesWithoutAccess: true },
      schema: {
        description: 'Whether the wallet has access.',
        response: { 200: accessStatusBodySchema },
      },
    },
    (request) => ({ data: { has_access: auth.hasAccess(requireCredential(request).address) } }),
  )
}
