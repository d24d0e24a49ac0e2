import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Views } from '../../indexer/views/views.ts'

/** Answers to the URLs first asked for in a block: who asks again gets them as they are, past all reading of the query. */
export type AnswersOfBlock = {
  /** To be called before validation. */
  serve(request: FastifyRequest, reply: FastifyReply, done: () => void): void
  /** Keeps a copy, unless the block has as many as are kept. */
  keep(request: Pick<FastifyRequest, 'url'>, pieces: readonly Uint8Array[]): void
}

/** For routes that tell everybody the same. */
export function createAnswersOfBlock(views: Pick<Views, 'head'>): AnswersOfBlock {
  const answers = oncePerBlock(views, () => new Map<string, Buffer>())
  return {
    serve(request, reply, done) {
      const body = answers().get(request.url)
      if (body) replyJson(reply, body)
      else done()
    },
    keep({ url }, pieces) {
      const kept = answers()
      if (kept.size < KEPT_MAX && url.length <= URL_LENGTH_MAX) kept.set(url, Buffer.concat(pieces))
    },
  }
}

const KEPT_MAX = 64
const URL_LENGTH_MAX = 512

/** What is made of the last indexed block, made once for each; blocks are told apart by their hash. */
export function oncePerBlock<Value>(views: Pick<Views, 'head'>, make: () => Value): () => Value {
  let known: { hash: string; value: Value } | undefined
  return () => {
    const { hash } = views.head()
    if (known?.hash !== hash) known = { hash, value: make() }
    return known.value
  }
}

/** Works a pool's record out once for each indexed block, however often it is asked for. */
export function perBlock<Pool extends { key: string }, Value>(
  { head }: Pick<Views, 'head'>,
  compute: (pool: Pool) => Value,
): (pool: Pool) => Value {
  let hash = ''
  const known = new Map<string, Value>()
  return (pool) => {
    if (head().hash !== hash) known.clear()
    hash = head().hash
    const value = known.get(pool.key) ?? compute(pool)
    known.set(pool.key, value)
    return value
  }
}

/** Answers with JSON that is serialized already: past the route's response schema, which its maker holds it to. */
export function replyJson(reply: unknown, body: string | Uint8Array): void {
  const untyped = reply as FastifyReply // as: a reply of whichever route
  untyped.header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Answers with JSON that is put together from pieces, which may change as soon as this returns. */
type ReplyBytes = (reply: unknown, pieces: readonly Uint8Array[]) => void

/**
 * Bodies stand in buffers that go round: one is taken for each answer and comes back when that is sent, or its connection
 * gone. Fresh memory for bodies of this size costs ten times what filling them does.
 */
export function createReplyBytes(): ReplyBytes {
  const idle: Buffer[] = []

  const take = (length: number): Buffer => {
    const buffer = idle.pop()
    return buffer && buffer.length >= length ? buffer : Buffer.allocUnsafeSlow(Math.max(length, BODY_BYTES))
  }
  return (reply, pieces) => {
    let length = 0
    for (const piece of pieces) length += piece.length
    const buffer = take(length)
    let end = 0
    for (const piece of pieces) {
      buffer.set(piece, end)
      end += piece.length
    }
    const { raw } = reply as FastifyReply // as: a reply of whichever route
    raw.once('close', () => {
      if (idle.length < IDLE_MAX) idle.push(buffer)
    })
    replyJson(reply, buffer.subarray(0, length))
  }
}

/** Most pages fit. */
const BODY_BYTES = 128 * 1024
/** As many as are kept while nobody needs them. */
const IDLE_MAX = 64
