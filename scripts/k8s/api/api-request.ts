import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** A request to the API server, or through it to a pod. */
export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With its query. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  signal?: AbortSignal | undefined
  /** To the head of the answer, and then between two pieces of its body. */
  timeoutMs?: number
}

export type ApiResponse = { status: number; headers: IncomingHttpHeaders; body: Readable }

const TIMEOUT_MS = 30_000

/** Sends a request through the socket of `openProxy`. Rejects with an error of node:http where nobody answers. */
export async function apiRequest(socket: string, options: ApiRequest): Promise<ApiResponse> {
  const { method, path, headers = {}, body, signal, timeoutMs = TIMEOUT_MS } = options
  const sent = request({
    socketPath: socket,
    host: 'localhost',
    method,
    path,
    headers: { ...headers, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }) },
    agent: false,
    timeout: timeoutMs,
    ...(signal && { signal }),
  })
  sent.on('timeout', () => sent.destroy(new Error(`no answer in ${timeoutMs / 1000} s`)))
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage] // as: what the event bears
  sent.on('error', (error) => response.destroy(error))
  return { status: response.statusCode ?? 0, headers: response.headers, body: response }
}

/** The same for answers that are short: read whole. */
export async function apiText(
  socket: string,
  options: ApiRequest,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { status, headers, body } = await apiRequest(socket, options)
  return { status, headers, text: await text(body) }
}
