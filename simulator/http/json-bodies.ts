import type { FastifyInstance } from 'fastify'

/**
 * As Fastify's own parser, but an empty body is none: clients send the JSON content type with requests that have no
 * body. And bytes that are no UTF-8 are no JSON (RFC 8259, section 8.1), where decoding them would make others of them.
 */
export function takeJsonBodies(app: FastifyInstance): void {
  // Names that would make a prototype go, as other names that nobody asked for do.
  const parse = app.getDefaultJsonParser('remove', 'remove')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    let text: string
    try {
      text = decoder.decode(Buffer.from(body))
    } catch {
      return done(Object.assign(new Error('the body is not UTF-8'), { statusCode: 400 }), undefined)
    }
    parse(request, text, done)
  })
}
