import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Views } from '../../indexer/views.ts'

/** Exempt from the rate limit: probes of an orchestrator must not be turned away. */
const config = { access: 'public', rateLimit: false } as const

export const healthRoutes: FastifyPluginAsyncZod<{ views: Views }> = async (app, { views }) => {
  app.get(
    '/health',
    { config, schema: { response: { 200: z.object({ data: z.object({ status: z.literal('ok') }) }) } } },
    () => ({ data: { status: 'ok' as const } }),
  )

  app.get('/ready', { config, schema: { response: { 200: readyBodySchema } } }, () => ({
    data: { status: 'ready' as const, block: views.head().height },
  }))
}

const readyBodySchema = z.object({ data: z.object({ status: z.literal('ready'), block: z.int() }) })
