import { backoffMs } from '../../../client/retry-wait.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { ClientFrame } from '../../../contract/schemas/wire.ts'
import { vuRandom } from '../duties/k6-tools.ts'
import { pick, pickText } from '../pick.ts'
import { redactor } from '../redact.ts'
import { after, pause } from '../time/pause.ts'
import { createFeedStory } from '../timeline.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { socketObserver } from './events.ts'
import { openWebSocket } from './open-web-socket.ts'

export type FeedMessage = { control?: string; type?: string; data?: unknown; json: unknown; text: string }

/** A feed socket that keeps all received messages in order. */
export type Feed = {
  readonly received: readonly FeedMessage[]
  /** Undefined while the socket is open. */
  closed(): { code: number; reason: string } | undefined
  send(frame: ClientFrame): void
  sendText(text: string): void
  /**
   * Waits until `done` holds; rechecks at each frame and at the close. Resolves to false on timeout or close.
   */
  until(done: () => boolean, timeoutMs: number): Promise<boolean>
  /**
   * Pings, and waits for the pong: pongs come in order, so the server has then handled all earlier frames.
   * Resolves to false on timeout or close.
   */
  settled(timeoutMs: number): Promise<boolean>
  /** False while a ping has no pong: earlier messages may still be on their way. */
  hasResponded(): boolean
  close(): void
  /** The action and room of the last sent frame. */
  lastSent(): string
  /** The last frames in both directions, redacted. */
  evidence(): string[]
}

const EVIDENCE_LINES = 12
/**
 * Bounds memory against a target that sends without end. A feed of 1000 events/s reaches it after a minute.
 */
const KEPT_CHARACTERS_MAX = 128 * 2 ** 20
/** Minimum memory cost of a message. */
const MESSAGE_CHARACTERS = 1024
const OPEN_MS = 10_000

const TRIES_MAX = 3

/**
 * Opens a socket and retries transient rejections. Throws CannotJudge if they persist or the handshake takes
 * longer than 10 s.
 */
export async function openFeed(...options: Parameters<typeof openFeedOnce>): Promise<Feed> {
  for (let attempt = 0; ; attempt++) {
    const startedMs = Date.now()
    try {
      return await openFeedOnce(...options)
    } catch (error) {
      if (attempt + 1 === TRIES_MAX || Date.now() - startedMs >= OPEN_MS) throw error
      await pause(backoffMs({ attempt, random: vuRandom }))
    }
  }
}

/** Like openFeed, without retries. */
export async function openFeedOnce(
  target: Target,
  options: { headers?: Readonly<Record<string, string>> } = {},
): Promise<Feed> {
  const { socket, readText } = openWebSocket(target, options.headers)
  const received: FeedMessage[] = []
  const log: { arrow: '->' | '<-'; text: string }[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of [...waiting]) check()
  }
  const story = createFeedStory(target)
  const watch = socketObserver.opened?.(target)
  let opened = false
  let failure = ''
  let lastSent = ''
  let closed: { code: number; reason: string } | undefined
  /** Closed by this side; the peer has not confirmed yet. */
  let closing = false
  let pongs = 0
  let pings = 0
  let kept = 0

  socket.onopen = () => {
    opened = true
    story?.opened()
    wake()
  }
  socket.onerror = (event) => {
    failure = String(event?.error ?? 'it failed')
    wake()
  }
  // The type declarations leave out the event that k6 passes.
  socket.onclose = (event?: { code?: number; reason?: string }) => {
    closed = { code: event?.code ?? 1006, reason: event?.reason ?? '' }
    closes.set(target, [...(closes.get(target) ?? []), closed.code])
    log.push({ arrow: '<-', text: `closed with ${closed.code} ${closed.reason}` })
    story?.closed(closed)
    wake()
  }
  socket.addEventListener('pong', () => {
    pongs++
    wake()
  })
  socket.onmessage = (event) => {
    // Unread messages fill the socket's buffer, which ends it.
    if (kept > KEPT_CHARACTERS_MAX) return
    const text = readText(event)
    kept += text.length + MESSAGE_CHARACTERS
    log.push({ arrow: '<-', text })
    story?.came(text)
    const message = readMessage(text)
    received.push(message)
    if (message.control === 'resync_required') resyncs.set(target, countResyncs(target) + 1)
    watch?.came(message)
    wake()
  }

  const until = (done: () => boolean, timeoutMs: number) =>
    new Promise<boolean>((resolve) => {
      const finish = (response: boolean) => {
        waiting.delete(check)
        timer.cancel()
        resolve(response)
      }
      const check = () => {
        if (done()) finish(true)
        else if (closed) finish(false)
      }
      const timer = after(timeoutMs, () => finish(done()))
      waiting.add(check)
      check()
    })

  const sendText = (text: string) => {
    if (closed || closing) return
    log.push({ arrow: '->', text })
    lastSent = text
    story?.sent(text)
    socket.send(text)
  }

  await until(() => opened || failure !== '', OPEN_MS)
  if (!opened) {
    // A late handshake would keep the VU alive until the socket closes.
    socket.onopen = () => socket.close(1000)
    story?.refused(failure)
    throw new CannotJudge(`the socket did not open: ${failure || `no response in ${OPEN_MS} ms`}`)
  }
  const feed: Feed = {
    received,
    closed: () => closed,
    send(frame) {
      watch?.sent(frame)
      sendText(JSON.stringify(frame))
    },
    sendText,
    until,
    settled(timeoutMs) {
      if (closed || closing) return Promise.resolve(false)
      socket.ping()
      const mine = ++pings
      return until(() => pongs >= mine, timeoutMs)
    },
    hasResponded: () => pongs >= pings,
    close() {
      if (closed || closing) return
      closing = true
      socket.close(1000)
    },
    lastSent: () => describeFrame(lastSent),
    evidence: () =>
      log.slice(-EVIDENCE_LINES).map(({ arrow, text }) => `${arrow} ${redactor.redactBody(text, 200)}`),
  }
  openFeeds.add(feed)
  return feed
}

const closes = new WeakMap<Target, readonly number[]>()

export function countCloses(target: Target, code: number): number {
  return (closes.get(target) ?? []).filter((one) => one === code).length
}

const resyncs = new WeakMap<Target, number>()

/** Counts the `resync_required` that the target's sockets received. */
export function countResyncs(target: Target): number {
  return resyncs.get(target) ?? 0
}

/**
 * Closes sockets that an aborted probe left open: a VU ends only after its last socket. Resolves after the
 * closes.
 */
export async function closeFeeds(): Promise<void> {
  const feeds = [...openFeeds]
  openFeeds.clear()
  for (const feed of feeds) feed.close()
  await Promise.all(feeds.map((feed) => feed.until(() => false, CLOSE_MS)))
}

const CLOSE_MS = 1000

const openFeeds = new Set<Feed>()

/** Ample for a busy machine; a mute peer never responds. */
const SETTLED_MS = 1000
/** Message counts of sockets that did not respond in time. They are pinged again after they receive more. */
const mute = new Map<Feed, number>()

/** Waits until everything sent to this VU's sockets has arrived. */
export async function settleFeeds(): Promise<void> {
  const feeds = [...openFeeds].filter((feed) => !feed.closed() && mute.get(feed) !== feed.received.length)
  await Promise.all(
    feeds.map(async (feed) => {
      if (await feed.settled(SETTLED_MS)) mute.delete(feed)
      else if (!feed.closed()) mute.set(feed, feed.received.length)
    }),
  )
}

function describeFrame(text: string): string {
  const { json } = readMessage(text)
  const room = pickText(json, 'room')
  return [
    pickText(json, 'action') ?? (text === '' ? 'opening' : 'another frame'),
    ...(room === undefined ? [] : [room]),
  ].join(' ')
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
