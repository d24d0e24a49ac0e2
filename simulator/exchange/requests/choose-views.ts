import type { FastifyRequest } from 'fastify'
import type { Views } from '../../indexer/views/views.ts'

/**
 * A read that a replica may serve. A request with a credential reads the primary, and so does one with a minimum revision: it
 * is never answered with an older one (specification, Events).
 */
export function isPublicRead({ routeOptions, credential, query }: FastifyRequest): boolean {
  const asksRevision = Object.hasOwn(query as object, 'minimum_revision') // as: parsed by Fastify
  return routeOptions.config.access === 'public' && credential === 'missing' && !asksRevision
}

/** What a route keeps of views, made once for each of those that it answers from, and gone with them. */
export function perViews<Value>(make: (views: Views) => Value): (request: FastifyRequest) => Value {
  const made = new WeakMap<Views, Value>()
  return ({ views }) => {
    const value = made.get(views) ?? make(views)
    made.set(views, value)
    return value
  }
}
