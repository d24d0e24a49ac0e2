import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Such as `GET /pools/:key`; complete once the server is ready. */
    routeNames: readonly string[]
  }
}

/** Lists the routes that are registered from here on. HEAD comes with each GET, and is not listed for itself. */
export function listRoutes(app: FastifyInstance): void {
  const names: string[] = []
  app.decorate('routeNames', names)
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return // the CORS plugin's
    for (const name of [method].flat()) if (name !== 'HEAD') names.push(`${name} ${url}`)
  })
}
