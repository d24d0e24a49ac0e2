import { WebSocket } from 'ws'
import { type Conduct, retryAfterMs } from './conduct.ts'
import type { Ticket } from './exchange.ts'
import { every, type Timers } from './timers.ts'

/** How long opening and authenticating may take, and then joining the rooms. */
const STEP_MS_MAX = 15_000

export type FeedEvent = { type: string; data: Record<string, unknown> }

export type FeedSocket = {
  renew(ticket: Ticket): void
  /** `now`: without a goodbye, to a peer that does not answer anyhow. */
  end(how?: 'now'): void
}

/** One socket of the feed, from its handshake to its end, of which `onEnd` tells once. */
export function openFeedSocket(options: {
  url: string
  headers: Record<string, string>
  ticket: Ticket
  rooms: readonly string[]
  isReconnect: boolean
  timers: Timers
  conduct: Conduct
  onReady: () => void
  onEvent: (event: FeedEvent) => void
  /** Events may have been lost on the way. */
  onMissed: () => void
  /** `retryAfterMs` where the handshake was refused for a while. */
  onEnd: (retryAfterMs: number | undefined) => void
}): FeedSocket {
  const { timers, conduct, ticket, rooms, isReconnect, onReady, onEvent, onMissed, onEnd } = options
  // No other handshake timeout than ours, which goes by the timers given.
  const socket = new WebSocket(options.url, { headers: options.headers, perMessageDeflate: false })
  /** What each `synchronized` that is still to come stands for. */
  const asked: (() => void)[] = []
  let heardAtMs = timers.nowMs()
  let isEnded = false
  let refusedForMs: number | undefined

  const send = (frame: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(conduct.frameText(frame))
  }
  const synchronize = (then: () => void) => {
    asked.push(then)
    send({ action: 'synchronize' })
  }
  const authenticate = ({ text }: Ticket) => send({ action: 'authenticate', token: text })
  /** Of the handshake and authentication first, of joining the rooms then. */
  let deadline = timers.after(STEP_MS_MAX, () => end('now'))
  const stopChecks = every(timers, conduct.checkEveryMs, () => {
    const verdict = conduct.judgeSilence(timers.nowMs() - heardAtMs)
    if (verdict === 'gone') end('now')
    else if (verdict === 'ask') synchronize(() => {})
  })
  const finish = () => {
    if (isEnded) return
    isEnded = true
    deadline.cancel()
    stopChecks()
    onEnd(refusedForMs)
  }
  const end = (how?: 'now') => {
    if (how === 'now') socket.terminate()
    else socket.close(1000)
    finish()
  }
  const ready = () => {
    deadline.cancel()
    onReady()
  }
  const joinRooms = () => {
    deadline.cancel()
    deadline = timers.after(STEP_MS_MAX, () => end('now'))
    conduct.join({
      rooms,
      isReconnect,
      subscribe: (room) => send({ action: 'subscribe', room }),
      synchronize,
      ready,
    })
  }

  socket.on('open', () =>
    conduct.greet({ timers, authenticate: () => authenticate(ticket), synchronize, join: joinRooms }),
  )
  socket.on('message', (bytes) => {
    if (isEnded) return
    heardAtMs = timers.nowMs()
    const frame = parseFrame(String(bytes))
    if (frame === undefined) onMissed()
    else if (frame.control === 'synchronized') asked.shift()?.()
    else if (frame.control === 'resync_required') onMissed()
    else if (frame.control !== undefined) conduct.takeUnknownControl({ control: frame.control, end })
    else if (isEvent(frame)) onEvent(frame)
  })
  socket.on('unexpected-response', (_request, response) => {
    refusedForMs = retryAfterMs({ get: (name) => String(response.headers[name] ?? '') })
    socket.terminate()
    finish()
  })
  socket.on('error', () => {}) // the close that follows says enough
  socket.on('close', finish)
  return { renew: authenticate, end }
}

function parseFrame(text: string): Record<string, unknown> | undefined {
  try {
    const frame: unknown = JSON.parse(text)
    // as: an object, each of whose fields is looked at
    return typeof frame === 'object' && frame !== null ? (frame as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function isEvent(frame: object): frame is FeedEvent {
  return (
    'type' in frame && typeof frame.type === 'string' && 'data' in frame && Object(frame.data) === frame.data
  )
}
