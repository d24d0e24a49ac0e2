import type { IncomingMessage } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { RESPONSE_BOUNDS } from '../contract/response-bounds.ts'

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** What a request may accept that is read by `readBounded`: k6 reads encodings that Node does not. */
export const ENCODINGS = Object.keys(DECODERS).join(', ')

/** More than is read of any response. */
export class TooLong extends Error {
  constructor() {
    super(`the response body is longer than ${RESPONSE_BOUNDS.bytesMax / 2 ** 20} MiB`)
  }
}

/** The text of a response. Rejects with TooLong if it is longer than RESPONSE_BOUNDS, as sent or decoded; no more of it is kept. */
export function readBounded(response: IncomingMessage): Promise<string> {
  const decoder = DECODERS[response.headers['content-encoding'] ?? '']?.()
  // The errors of a pipeline are those of its last stream.
  return text(bounded(decoder === undefined ? response : pipeline(response, bounded, decoder, () => {})))
}

async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > RESPONSE_BOUNDS.bytesMax) throw new TooLong()
    yield chunk
  }
}
