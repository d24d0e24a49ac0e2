import type { FastifyInstance } from 'fastify'

/** The methods that are taken at a path; none where there is nothing at all. */
export type AllowedMethods = (path: string) => readonly string[]

/** Of the routes that are registered from here on. */
export function collectAllowedMethods(app: FastifyInstance): AllowedMethods {
  const known = new Map<string, { segments: readonly string[]; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return // the CORS plugin's
    const { methods } = known.get(url) ?? { methods: new Set<string>() }
    for (const name of [method].flat()) methods.add(name)
    known.set(url, { segments: url.split('/'), methods })
  })
  return (path) => {
    const asked = path.split('/')
    const found = [...known.values()].filter(({ segments }) => matches(segments, asked))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** A parameter, such as `:key`, is one segment. */
function matches(segments: readonly string[], asked: readonly string[]): boolean {
  return (
    segments.length === asked.length &&
    segments.every(
      (segment, place) => segment === asked[place] || (segment.startsWith(':') && asked[place] !== ''),
    )
  )
}
