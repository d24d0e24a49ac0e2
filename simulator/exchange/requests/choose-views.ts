import type { FastifyRequest } from 'fastify'
import type { Views } from '../../indexer/views/views.ts'

/**
 * True if a replica may serve the read. Requests with a credential or a minimum revision read the primary: the response must not
 * have an older revision (specification, Events).
 */
export function isPublicRead({ routeOptions, credential, query }: FastifyRequest): boolean {
  const requiresRevision = Object.hasOwn(query as object, 'minimum_revision') // as: parsed by Fastify
  return routeOptions.config.access === 'public' && credential === 'missing' && !requiresRevision
}

/** Keeps one value per views object, garbage collected with it. */
export function perViews<Value>(make: (views: Views) => Value): (request: FastifyRequest) => Value {
  const made = new WeakMap<Views, Value>()
  return ({ views }) => {
    const value = made.get(views) ?? make(views)
    made.set(views, value)
    return value
  }
}
