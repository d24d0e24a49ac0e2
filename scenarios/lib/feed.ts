import { clearTimeout, setTimeout } from 'k6/timers'
import { WebSocket } from 'k6/websockets'
import type { Target } from '../../contract/scenario-config.ts'
import type { ClientFrame } from '../../contract/schemas/feed.ts'
import { CannotJudge } from './cannot.ts'
import { pick, pickText } from './pick.ts'
import { redactor } from './redact.ts'
import { type Credential, type Reply, request } from './request.ts'

export type FeedMessage = { control?: string; type?: string; data?: unknown; json: unknown; text: string }

/** A socket to the feed that keeps all it received, in order. */
export type Feed = {
  readonly received: readonly FeedMessage[]
  /** Undefined while the socket is open. */
  closed(): { code: number; reason: string } | undefined
  send(frame: ClientFrame): void
  sendText(text: string): void
  /** Waits until `done` holds, looking again at each frame and at the close; false when time is up or the socket closed. */
  until(done: () => boolean, timeoutMs: number): Promise<boolean>
  /**
   * Waits until the server has dealt with all that was sent before: it answers pings in order. False where it does not
   * answer in time, or has closed.
   */
  settled(timeoutMs: number): Promise<boolean>
  close(): void
  /** The last frames of both sides, for evidence, redacted. */
  evidence(): string[]
}

const EVIDENCE_LINES = 12

/** Opens a socket. Throws CannotJudge where the target refuses it or takes longer than 10 s. */
export async function openFeed(target: Target): Promise<Feed> {
  const { profile } = target
  const headers = { ...profile.headers, ...(profile.origin === null ? {} : { Origin: profile.origin }) }
  const socket = new WebSocket(`${profile.wsUrl.replace(/\/$/, '')}/ws`, null, {
    headers,
    tags: { name: 'feed' },
  })
  const received: FeedMessage[] = []
  const log: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  let opened = false
  let failure = ''
  let closed: { code: number; reason: string } | undefined
  let pongs = 0
  let pings = 0

  socket.onopen = () => {
    opened = true
    wake()
  }
  socket.onerror = (event) => {
    failure = String(event?.error ?? 'it failed')
    wake()
  }
  // The type declarations leave out the event that k6 passes.
  socket.onclose = (event?: { code?: number; reason?: string }) => {
    closed = { code: event?.code ?? 1006, reason: event?.reason ?? '' }
    log.push(`<- closed with ${closed.code} ${closed.reason}`)
    wake()
  }
  socket.addEventListener('pong', () => {
    pongs++
    wake()
  })
  socket.onmessage = (event) => {
    const text = typeof event?.data === 'string' ? event.data : '<binary>'
    log.push(`<- ${text.slice(0, 200)}`)
    received.push(readMessage(text))
    wake()
  }

  const until = (done: () => boolean, timeoutMs: number) =>
    new Promise<boolean>((resolve) => {
      const finish = (answer: boolean) => {
        waiting.delete(look)
        clearTimeout(timer)
        resolve(answer)
      }
      const look = () => {
        if (done()) finish(true)
        else if (closed) finish(false)
      }
      const timer = setTimeout(() => finish(done()), timeoutMs)
      waiting.add(look)
      look()
    })

  const sendText = (text: string) => {
    log.push(`-> ${text.slice(0, 200)}`)
    if (!closed) socket.send(text)
  }

  await until(() => opened || failure !== '', 10_000)
  if (!opened) throw new CannotJudge(`the socket did not open: ${failure || 'no answer in 10 s'}`)
  return {
    received,
    closed: () => closed,
    send: (frame) => sendText(JSON.stringify(frame)),
    sendText,
    until,
    settled(timeoutMs) {
      if (closed) return Promise.resolve(false)
      socket.ping()
      const mine = ++pings
      return until(() => pongs >= mine, timeoutMs)
    },
    close() {
      if (!closed) socket.close(1000)
    },
    evidence: () => log.slice(-EVIDENCE_LINES).map((line) => redactor.redact(line)),
  }
}

function readMessage(text: string): FeedMessage {
  try {
    const json: unknown = JSON.parse(text)
    const control = pickText(json, 'control')
    const type = pickText(json, 'type')
    return {
      json,
      text,
      data: pick(json, 'data'),
      ...(control === undefined ? {} : { control }),
      ...(type === undefined ? {} : { type }),
    }
  } catch {
    return { json: undefined, text }
  }
}

/** A fresh ticket. Throws CannotJudge where there is none to be had. */
export async function takeTicket(
  target: Target,
  credential: Credential,
): Promise<{ ticket: string; reply: Reply }> {
  const reply = await request(target, { method: 'GET', path: '/auth/ws-ticket', credential })
  const ticket = pickText(reply.json, target.profile.choices.wsTicket.ticket)
  if (ticket === undefined)
    throw new CannotJudge(`no ticket to be had: ${reply.status} where the profile says it lies`)
  redactor.add(ticket)
  return { ticket, reply }
}

const ANSWER_MS = 5000

/** Sends synchronize and waits for its answer: whether the socket is served. */
export async function isServed(feed: Feed, timeoutMs = ANSWER_MS): Promise<boolean> {
  const before = countControls(feed, 'synchronized')
  feed.send({ action: 'synchronize' })
  return await feed.until(() => countControls(feed, 'synchronized') > before, timeoutMs)
}

/** Why a silence tells nothing: the socket does not even answer a ping, and is not closed. */
export const MUTE = 'the socket answers no ping, so its silence tells nothing'

/**
 * As isServed, but sure of a no sooner: once the server has dealt with the frame, half a second is enough. Undefined where
 * it neither answers a ping nor closes: then silence tells nothing.
 */
export async function isServedAfterAll(
  feed: Feed,
  synchronize = '{"action":"synchronize"}',
): Promise<boolean | undefined> {
  const before = countControls(feed, 'synchronized')
  feed.sendText(synchronize)
  const settled = await feed.settled(5000)
  const served = await feed.until(() => countControls(feed, 'synchronized') > before, 500)
  return served || settled || feed.closed() ? served : undefined
}

export function countControls(feed: Feed, control: string): number {
  return feed.received.filter((message) => message.control === control).length
}

/** Opens, authenticates, joins the rooms, and waits until the subscriptions are active. */
export async function openServedFeed(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<Feed> {
  const { ticket } = await takeTicket(target, credential)
  const feed = await openFeed(target)
  feed.send({ action: 'authenticate', token: ticket })
  for (const room of rooms) feed.send({ action: 'subscribe', room })
  if (!(await isServed(feed))) {
    feed.close()
    throw new CannotJudge(
      `a socket with a fresh ticket is not served: ${feed.evidence().slice(-3).join(' ')}`,
    )
  }
  return feed
}
