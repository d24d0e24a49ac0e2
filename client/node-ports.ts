/** Time, HTTP, sockets and signatures for Node: the only part of the client that does not run in k6. */
import { createPrivateKey, sign } from 'node:crypto'
import { WebSocket as WsWebSocket } from 'ws'
import type { Choices, Wallet } from '../contract/profile.ts'
import type { OpenWire } from './feed-socket.ts'
import { retryAfterMs } from './retry-wait.ts'
import { NoResponse, type Request, type Send } from './send.ts'
import type { Tools } from './time-and-chance.ts'

export const NODE_TOOLS: Tools = {
  nowMs: Date.now,
  random: Math.random,
  pause: (ms) => new Promise((done) => setTimeout(done, ms)),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

const TIMEOUT_MS = 10_000

/** Sends one request once. Throws NoResponse if no response came in time, or it was incomplete. */
export function createSend(options: {
  tools: Tools
  buildUrl: (request: Request) => string
  headers: Readonly<Record<string, string>>
  fetch: typeof globalThis.fetch
}): Send {
  const { tools, buildUrl, fetch } = options
  return async (request) => {
    const { method, body } = request
    const headers: Record<string, string> = { ...options.headers, ...request.headers }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const abort = new AbortController()
    const cancelTimeout = tools.after(TIMEOUT_MS, () => abort.abort())
    try {
      const response = await fetch(buildUrl(request), {
        method,
        headers,
        signal: abort.signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, headers: response.headers, body: await readBody(response) }
    } catch (cause) {
      throw new NoResponse(`${method} ${request.path} got no response`, { cause })
    } finally {
      cancelTimeout()
    }
  }
}

/** Exact figures stay strings. A success must be an object: anything else was damaged on the way. */
async function readBody(response: Response): Promise<unknown> {
  const body = parseJson(await response.text())
  if (response.ok && Object(body) !== body) throw new Error('the body is not a JSON object')
  return body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const HANDSHAKE_MS_MAX = 15_000

export function openNodeWire(options: {
  url: string
  headers: Record<string, string>
  tools: Tools
  /** Default: the class of `ws`. */
  WebSocket?: typeof WsWebSocket | undefined
}): OpenWire {
  const { url, headers, tools, WebSocket = WsWebSocket } = options
  return (events) => {
    // No handshake timeout of its own: ours uses the given tools.
    const socket = new WebSocket(url, { headers, perMessageDeflate: false })
    const isOpening = () => socket.readyState === WebSocket.CONNECTING
    const cancelTimeout = tools.after(HANDSHAKE_MS_MAX, () => isOpening() && socket.terminate())
    let isRefused = false
    socket.on('open', events.opened)
    socket.on('message', (bytes) => events.received(String(bytes), tools.nowMs()))
    socket.on('pong', () => events.pong())
    socket.on('unexpected-response', (_request, { headers }) => {
      isRefused = true
      const retryAfter = headers['retry-after']
      events.closed(retryAfterMs({ retryAfter, date: headers.date, nowMs: tools.nowMs() }))
      socket.terminate()
    })
    socket.on('error', () => {}) // the close that follows says enough
    socket.on('close', () => {
      cancelTimeout()
      if (!isRefused) events.closed()
    })
    return {
      send: (text) => socket.send(text),
      ping: () => socket.ping(),
      close: () => socket.close(1000),
    }
  }
}

/** Signs the exact UTF-8 bytes of a message, without trimming or normalization. ECDSA over P-256 and SHA-256, as r and s. */
export function signMessage(
  message: string,
  wallet: Wallet,
  { scheme, encoding }: Choices['signature'],
): string {
  if (scheme !== 'ecdsa-p256-sha256') throw new Error(`this client cannot sign with ${scheme}`)
  if (wallet.privateKeyJwk === undefined) throw new Error(`the wallet ${wallet.address} has no private key`)
  const key = createPrivateKey({ key: wallet.privateKeyJwk, format: 'jwk' })
  return sign('sha256', Buffer.from(message, 'utf8'), { key, dsaEncoding: 'ieee-p1363' }).toString(encoding)
}
