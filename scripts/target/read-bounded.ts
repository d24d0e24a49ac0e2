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

/** Encodings that `readBounded` can decode. k6 supports others. */
export const ENCODINGS = Object.keys(DECODERS).join(', ')

export class TooLong extends Error {
  constructor() {
    super(`the response body is longer than ${RESPONSE_BOUNDS.bytesMax / 2 ** 20} MiB`)
  }
}

/**
 * Reads a response body. Rejects with TooLong if it exceeds RESPONSE_BOUNDS, encoded or decoded, and keeps no more of
 * it.
 */
export function readBounded(response: IncomingMessage): Promise<string> {
  const decoder = DECODERS[response.headers['content-encoding'] ?? '']?.()
  // A pipeline rejects with the error of its last stream.
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
  body: unknown
}

/**
 * Sends a request and reads its JSON response, both within `timeoutMs`. Follows no redirect and keeps no connection.
 * Rejects on timeout or Ctrl-C.
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
    // A body that breaks off inside its encoding blocks fetch and ignores the signal.
    return await Promise.race([
      fetchBounded(url, { ...init, redirect: 'manual', signal: ending.signal }),
      ended,
    ])
  } finally {
    clearTimeout(timer)
    interrupted?.removeEventListener('abort', end)
    ended.catch(() => {})
    end()
  }
}

async function fetchBounded(url: string, init: RequestInit): Promise<JsonResponse> {
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
