import type { FastifySchemaCompiler } from 'fastify'

/**
 * A compiler of validators that parse an empty query once: most reads come without one, and what comes of it is the same
 * each time, namely the defaults.
 */
export function parseEmptyOnce<Schema>(
  compile: FastifySchemaCompiler<Schema>,
): FastifySchemaCompiler<Schema> {
  return (route) => {
    const validate = compile(route)
    if (route.httpPart !== 'querystring') return validate
    let ofEmpty: ReturnType<typeof validate> | undefined
    return (query: unknown) => {
      for (const _name in query as object) return validate(query)
      ofEmpty ??= validate(query)
      return ofEmpty
    }
  }
}
