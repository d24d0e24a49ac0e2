import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/
const EXPOSED_HEADERS = ['date', 'retry-after']

/** Pages on loopback may call with cookies; no other page may. */
export async function admitPages(app: FastifyInstance): Promise<void> {
  await app.register(cors, {
    origin: ORIGIN,
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'x-csrf-token'],
    exposedHeaders: EXPOSED_HEADERS,
  })
}

/** For an answer that comes past all hooks: without these headers a page would see a failed fetch, and no status. */
export function showToPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { origin } = request.headers
  reply.header('vary', 'Origin')
  if (origin === undefined || !ORIGIN.test(origin)) return reply
  return reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED_HEADERS.join(', '),
  })
}
