import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Views } from '../../indexer/views/views.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What it is answered from: the newest that is indexed, or what a replica has of it. */
    views: Views
  }
}

/**
 * Gives each request the views that it is answered from: a public read those of a replica, if there are replicas. Who shows a
 * credential reads the primary, and so does who asks for a minimum revision: that is answered as stated, and never with an
 * older one (specification, Events). To be added once it is known who asks.
 */
export function chooseViews(
  app: FastifyInstance,
  { primary, replica = () => primary }: { primary: Views; replica?: (() => Views) | undefined },
): void {
  app.decorateRequest('views')
  app.addHook('onRequest', (request, _reply, done) => {
    request.views = isPublicRead(request) ? replica() : primary
    done()
  })
}

function isPublicRead({ routeOptions, credential, query }: FastifyRequest): boolean {
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
