import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Views } from '../../indexer/views/views.ts'

/** Caches responses by URL within a block: a repeated request skips all parsing of the query. */
export type BlockCache = {
  /** Call before validation. */
  serve(request: FastifyRequest, reply: FastifyReply, done: () => void): void
  /** Stores a copy unless the cache is full. */
  keep(request: Pick<FastifyRequest, 'url'>, pieces: readonly Uint8Array[]): void
}

/** For routes whose response is equal for every caller. */
export function createBlockCache(views: Pick<Views, 'head'>): BlockCache {
  const responses = oncePerBlock(views, () => new Map<string, Buffer>())
  return {
    serve(request, reply, done) {
      const body = responses().get(request.url)
      if (body) replyJson(reply, body)
      else done()
    },
    keep({ url }, pieces) {
      const kept = responses()
      if (kept.size < KEPT_MAX && url.length <= URL_LENGTH_MAX) kept.set(url, Buffer.concat(pieces))
    },
  }
}

const KEPT_MAX = 64
const URL_LENGTH_MAX = 512

/** Computes a value once per last indexed block, identified by its hash. */
export function oncePerBlock<Value>(views: Pick<Views, 'head'>, make: () => Value): () => Value {
  let known: { hash: string; value: Value } | undefined
  return () => {
    const { hash } = views.head()
    if (known?.hash !== hash) known = { hash, value: make() }
    return known.value
  }
}

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

/** Keeps one value per views object, garbage collected with it. */
export function perViews<Value>(make: (views: Views) => Value): (request: FastifyRequest) => Value {
  const made = new WeakMap<Views, Value>()
  return ({ views }) => {
    const value = made.get(views) ?? make(views)
    made.set(views, value)
    return value
  }
}

/** Sends serialized JSON: skips the route's response schema, which the caller must satisfy. */
export function replyJson(reply: unknown, body: string | Uint8Array): void {
  const untyped = reply as FastifyReply // as: a reply of whichever route
  untyped.header('content-type', 'application/json; charset=utf-8').send(body)
}

type ReplyBytes = (reply: unknown, pieces: readonly Uint8Array[]) => void

/**
 * Reuses buffers for bodies: one is taken for each response and returned when that is sent or its connection closed. Allocation
 * at this size costs ten times as much as filling.
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

const BODY_BYTES = 128 * 1024
const IDLE_MAX = 64
