import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Views } from '../../indexer/views/views.ts'
import { Refusal } from '../errors.ts'
import type { Metrics } from '../requests/metrics.ts'

export type Readiness = 'starting' | 'ready' | 'closing'

const NOT_READY_BECAUSE: Record<Exclude<Readiness, 'ready'>, string> = {
  starting: 'its world is not running yet',
  closing: 'it is closing',
}

type Options = {
  views: Views
  metrics: Metrics
  readiness: () => Readiness
}

/** Exempt from the rate limit: an orchestrator's probes must always get through. */
const config = { access: 'public', rateLimit: false } as const

/** Liveness, readiness and metrics, for operators. */
export const healthRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { views, metrics, readiness } = options

  app.get(
    '/health',
    {
      config,
      schema: {
        description: 'Succeeds while the process is alive.',
        response: { 200: z.object({ data: z.object({ status: z.literal('ok') }) }) },
      },
    },
    () => ({ data: { status: 'ok' as const } }),
  )

  app.get(
    '/ready',
    {
      config: { ...config, errors: ['not_ready'] },
      schema: {
        description: 'Succeeds while the exchange accepts requests. Otherwise, the error states the reason.',
        response: { 200: readyBodySchema },
      },
    },
    () => {
      const state = readiness()
      if (state !== 'ready') {
        throw new Refusal('not_ready', {
          detail: NOT_READY_BECAUSE[state],
          retryAfterMs: 1000,
        })
      }
      return { data: { status: 'ready' as const, block: views.head().height } }
    },
  )

  app.get(
    '/metrics',
    {
      config,
      schema: {
        description:
          'Metrics in the Prometheus text format: requests, the live feed, CPU time, event loop, chain and index.',
        produces: ['text/plain'],
        response: { 200: z.string() },
      },
    },
    async (_request, reply) => {
      reply.header('content-type', metrics.contentType)
      return metrics.text()
    },
  )
}

const readyBodySchema = z.object({
  data: z.object({
    status: z.literal('ready'),
    block: z.int().meta({ description: 'The last block indexed' }),
  }),
})
