import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'

/** The live feed, described for machines: a document, so not in an envelope. */
export const asyncApiRoutes: FastifyPluginAsyncZod<{ asyncApi: () => object }> = async (
  app,
  { asyncApi },
) => {
  let document: object | undefined

  app.get(
    '/asyncapi.json',
    {
      config: { access: 'public' },
      schema: { hide: true, response: { 200: z.looseObject({ asyncapi: z.string() }) } },
    },
    () => {
      document ??= asyncApi()
      return document as { asyncapi: string } // as: the serializer checks it
    },
  )
}
