import type { IncomingMessage } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { RESPONSE_BOUNDS } from '../../contract/response-bounds.ts'

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

export type JsonResponse = {
  status: number
  ok: boolean
  /** Undefined: it is no JSON, or longer than any that is waited for. */
  body: unknown
}

/**
 * Sends a request and reads its response as JSON, both within `timeoutMs`, however the server answers. Follows no redirect, and keeps no
 * connection. Rejects if there is no whole response until then, or the user asks for the end.
 */
export async function fetchJson(
  url: string,
  { timeoutMs, interrupted, ...init }: RequestInit & { timeoutMs: number; interrupted?: AbortSignal },
): Promise<JsonResponse> {
  const ending = new AbortController()
  const end = () => ending.abort()
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(new Error(`no whole response in ${timeoutMs} ms`)))
  })
  const timer = setTimeout(end, timeoutMs)
  interrupted?.addEventListener('abort', end)
  if (interrupted?.aborted) end()
  try {
    // A body that ends in the middle of its encoding keeps fetch waiting, whatever its signal says.
    return await Promise.race([ask(url, { ...init, redirect: 'manual', signal: ending.signal }), ended])
  } finally {
    clearTimeout(timer)
    interrupted?.removeEventListener('abort', end)
    ended.catch(() => {})
    end()
  }
}

async function ask(url: string, init: RequestInit): Promise<JsonResponse> {
  const response = await fetch(url, init)
  return { status: response.status, ok: response.ok, body: await read(response).catch(() => undefined) }
}

async function read({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > RESPONSE_BOUNDS.bytesMax) return undefined
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}
