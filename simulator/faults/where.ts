import { z } from 'zod'
import { matchesGlob } from '../../contract/match-glob.ts'
import type { SeenAnswer, SeenRequest } from './seams.ts'

const glob = z.string().min(1).max(200)
export const globs = z.array(glob).min(1).max(100)

/** Who asks: a wallet by its address, or a program by its `User-Agent`. */
export const clients = z
  .strictObject({
    addresses: globs.optional().describe('Wallets, as the exchange writes them; `*` stands for any text'),
    userAgents: globs.optional().describe('`User-Agent` headers; `*` stands for any text'),
  })
  .optional()

/** Which requests: all where nothing is said. */
export const restWhereSchema = z
  .strictObject({
    routes: globs
      .optional()
      .describe('Such as `GET /pools/:key` or `* /auth/*`: a method and a route as it is registered'),
    clients,
  })
  .prefault({})

export type RestWhere = z.output<typeof restWhereSchema>

/** Of a fault that knows its route. */
export const clientsWhereSchema = z.strictObject({ clients }).prefault({})

export const REST_AT = z
  .enum(['request', 'answer'])
  .default('request')
  .describe('Before what was asked for is done, or once it is')

/** Whether the request is one of those named, by method and route, and by who asks. */
export function matchesRequest(
  where: RestWhere,
  { method, route, address, userAgent }: SeenRequest,
): boolean {
  const { routes, clients: who } = where
  if (routes && !matchesAny(routes, `${method} ${route ?? ''}`)) return false
  if (who?.addresses && !(address !== null && matchesAny(who.addresses, address))) return false
  return who?.userAgents === undefined || matchesAny(who.userAgents, userAgent)
}

const REFRESH = { routes: ['POST /auth/refresh'] }

/** Whether it is the answer to a refresh that has replaced the token. */
export function isRefreshDone(
  { clients: who }: z.output<typeof clientsWhereSchema>,
  seen: SeenAnswer,
): boolean {
  return seen.status === 200 && matchesRequest({ ...REFRESH, clients: who }, seen)
}

/** Whether one of the globs matches the whole text. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, text))
}
