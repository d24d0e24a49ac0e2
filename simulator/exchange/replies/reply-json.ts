import type { FastifyReply } from 'fastify'

/** Answers with JSON that is serialised already: past the route's response schema, which its maker holds it to. */
export function replyJson(reply: unknown, body: string | Uint8Array): void {
  const untyped = reply as FastifyReply // as: a reply of whichever route
  untyped.header('content-type', 'application/json; charset=utf-8').send(body)
}
