import type { FastifyReply } from 'fastify'
import { replyJson } from './reply-json.ts'

/** Answers with JSON that is put together from pieces, which may change as soon as this returns. */
export type ReplyBytes = (reply: unknown, pieces: readonly Uint8Array[]) => void

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
