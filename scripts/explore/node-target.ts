/** A target to explore: requests and sockets of Node, with kept connections. */
import { once } from 'node:events'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { WebSocket } from 'ws'
import { retryAfterMs } from '../../client/retry-wait.ts'
import type { Profile } from '../../contract/profile.ts'
import { beyondBounds } from '../../contract/response-bounds.ts'
import type { ExploreRequest, ExploreTarget, Reply } from '../../explore/target.ts'
import { readBounded } from '../target/read-bounded.ts'
import { feedAddress } from '../target/request-target.ts'

const TIMEOUT_MS = 10_000
/** Limits of the wait after a 429. */
const RATE_WAIT_MS_MAX = 10_000
const RATE_TRIES = 5

export type Wire = Pick<ExploreTarget, 'request' | 'openSocket'> & {
  /** Requests and handshakes so far. */
  sent(): number
  close(): void
}

/** `ca`: certificates to trust, in PEM form. `wait`: pauses after a 429. */
export function createWire(
  profile: Profile,
  ca: string | null,
  wait: (ms: number) => Promise<unknown> = delay,
): Wire {
  const isTls = profile.baseUrl.startsWith('https:')
  const trust = ca === null ? {} : { ca: [...rootCertificates, ca] }
  const agent = isTls ? new HttpsAgent({ keepAlive: true, ...trust }) : new HttpAgent({ keepAlive: true })
  const own = { ...profile.headers, ...(profile.origin === null ? {} : { origin: profile.origin }) }
  const base = profile.baseUrl.replace(/\/$/, '')
  let sent = 0

  const send = async (call: ExploreRequest): Promise<Reply> => {
    sent++
    const body = call.body === undefined ? '' : JSON.stringify(call.body)
    const request = (isTls ? httpsRequest : httpRequest)(base + call.path, {
      method: call.method,
      headers: {
        ...own,
        ...(body !== '' && { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(body),
        ...call.headers,
      },
      agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    // A connection may also break after the response has begun.
    request.on('error', () => {})
    try {
      request.end(body)
      const [response] = (await once(request, 'response')) as [IncomingMessage] // as: what the event bears
      const { 'set-cookie': cookies = [], ...named } = response.headers
      const { 'retry-after': retryAfter, date } = named
      const text = await readBounded(response)
      const httpOnly = cookies.filter((line) => /;\s*HttpOnly\s*(;|$)/i.test(line))
      return {
        status: response.statusCode ?? 0,
        body: parseJson(text),
        cookies: Object.fromEntries(cookies.map(parseCookie)),
        retryAfterMs: retryAfterMs({ retryAfter, date, nowMs: Date.now() }),
        raw: {
          headers: Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)])),
          text,
          httpOnly: httpOnly.map((line) => parseCookie(line)[0]),
        },
      }
    } catch {
      request.destroy()
      return { status: 0, body: undefined, cookies: {} }
    }
  }

  return {
    sent: () => sent,
    close: () => agent.destroy(),
    async request(call) {
      for (let tried = 1; ; tried++) {
        const reply = await send(call)
        if (reply.status !== 429 || call.isLimited || tried === RATE_TRIES) return reply
        await wait(Math.min(reply.retryAfterMs ?? 1000, RATE_WAIT_MS_MAX))
      }
    },
    async openSocket(events) {
      sent++
      const socket = new WebSocket(feedAddress(profile), {
        headers: own,
        perMessageDeflate: false,
        handshakeTimeout: TIMEOUT_MS,
        ...trust,
      })
      socket.on('error', () => {}) // the close that follows says enough
      socket.on('message', (bytes) => events.received(String(bytes)))
      socket.on('pong', events.pong)
      socket.on('close', events.closed)
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('open', () => resolve(true))
        socket.once('close', () => resolve(false))
      })
      if (!isOpen) return null
      return {
        send: (text) => socket.send(text, () => {}),
        ping: () => socket.ping(undefined, undefined, () => {}),
        close: () => socket.close(1000),
      }
    },
  }
}

function parseJson(body: string): unknown {
  if (beyondBounds(body) !== undefined) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function parseCookie(line: string): [string, string] {
  const [pair = ''] = line.split(';')
  const at = pair.indexOf('=')
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}
