import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Views } from '../../indexer/views/views.ts'
import { Refusal } from '../errors.ts'
import type { Metrics } from '../requests/metrics.ts'

/** Whether the exchange takes requests: not before its world runs, and not while it closes. */
export type Readiness = 'starting' | 'ready' | 'closing'

const NOT_READY_BECAUSE: Record<Exclude<Readiness, 'ready'>, string> = {
  starting: 'its world does not run yet',
  closing: 'it is closing',
}

type Options = {
  views: Views
  metrics: Metrics
  readiness: () => Readiness
}

/** Exempt from the rate limit: probes of an orchestrator must not be turned away. */
const config = { access: 'public', rateLimit: false } as const

/** For whoever runs the exchange: whether it lives, whether it takes requests, and how it does. */
export const healthRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { views, metrics, readiness } = options

  app.get(
    '/health',
    {
      config,
      schema: {
        description: 'Answers as long as the process lives.',
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
        description: 'Whether the exchange takes requests; the error says why it does not.',
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
          'Figures in the text format of Prometheus: requests, the live feed, processor time, event loop, chain and index.',
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
