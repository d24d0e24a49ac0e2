import { backoffMs } from '../../../client/retry-wait.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { ClientFrame } from '../../../contract/schemas/feed.ts'
import { vuRandom } from '../duties/k6-tools.ts'
import { pick, pickText } from '../pick.ts'
import { redactor } from '../redact.ts'
import { after, pause } from '../time/pause.ts'
import { createFeedStory } from '../timeline.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { socketOnlooker } from './events.ts'
import { openWebSocket } from './open-web-socket.ts'

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
  /** The action of the last frame that was sent, with its room: up to where the socket came. */
  lastSent(): string
  /** The last frames of both sides, for evidence, redacted. */
  evidence(): string[]
}

const EVIDENCE_LINES = 12
/** Of a target that sends without end. A feed of a thousand events per second takes a minute to get there. */
const KEPT_CHARACTERS_MAX = 128 * 2 ** 20
/** What a message takes however short it is. */
const MESSAGE_CHARACTERS = 1024
const OPEN_MS = 10_000

const TRIES_MAX = 3

/** Opens a socket; a refusal may pass, so it is tried again. Throws CannotJudge where it stays, or takes longer than 10 s. */
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

/** As openFeed, without another try. */
export async function openFeedOnce(
  target: Target,
  options: { headers?: Readonly<Record<string, string>> } = {},
): Promise<Feed> {
  const { socket, textOf } = openWebSocket(target, options.headers)
  const received: FeedMessage[] = []
  const log: { arrow: '->' | '<-'; text: string }[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  const story = createFeedStory(target)
  const watch = socketOnlooker.opened?.(target)
  let opened = false
  let failure = ''
  let lastSent = ''
  let closed: { code: number; reason: string } | undefined
  /** Closed from here, and not answered yet: nothing goes out any more. */
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
    // Unheard, they fill what the socket may hold, and it ends.
    if (kept > KEPT_CHARACTERS_MAX) return
    const text = textOf(event)
    kept += text.length + MESSAGE_CHARACTERS
    log.push({ arrow: '<-', text })
    story?.came(text)
    const message = readMessage(text)
    received.push(message)
    watch?.came(message)
    wake()
  }

  const until = (done: () => boolean, timeoutMs: number) =>
    new Promise<boolean>((resolve) => {
      const finish = (answer: boolean) => {
        waiting.delete(look)
        timer.cancel()
        resolve(answer)
      }
      const look = () => {
        if (done()) finish(true)
        else if (closed) finish(false)
      }
      const timer = after(timeoutMs, () => finish(done()))
      waiting.add(look)
      look()
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
    // A late handshake would keep the VU for as long as the socket stays open.
    socket.onopen = () => socket.close(1000)
    story?.refused(failure)
    throw new CannotJudge(`the socket did not open: ${failure || `no answer in ${OPEN_MS} ms`}`)
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

/** How many sockets to a target were closed with the code so far. */
export function closesOf(target: Target, code: number): number {
  return (closes.get(target) ?? []).filter((one) => one === code).length
}

/** Closes what a probe that broke off left open: a VU ends only with its last socket. Resolves once they are closed. */
export async function closeFeeds(): Promise<void> {
  const feeds = [...openFeeds]
  openFeeds.clear()
  for (const feed of feeds) feed.close()
  await Promise.all(feeds.map((feed) => feed.until(() => false, CLOSE_MS)))
}

const CLOSE_MS = 1000

const openFeeds = new Set<Feed>()

/** Long for a machine at work; a peer that is mute answers never. */
const SETTLED_MS = 1000
/** How much had come from those that did not answer in time: they are asked again once more has come. */
const mute = new Map<Feed, number>()

/** Waits until all that the server sent to sockets of this VU has come. */
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
