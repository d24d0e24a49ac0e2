import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Views } from '../../indexer/views/views.ts'
import { oncePerBlock } from './once-per-block.ts'
import { replyJson } from './reply-json.ts'

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
