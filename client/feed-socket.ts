import { LIMITS } from '../contract/limits.ts'
import type { ClientFrame } from '../contract/schemas/feed.ts'
import type { Tools } from './time-and-chance.ts'

/** A WebSocket as it is. */
export type Wire = { send(text: string): void; ping(): void; close(): void }
export type WireEvents = {
  opened(): void
  /** `toldMs`: the handshake was refused, for so long. */
  closed(toldMs?: number): void
  /** A frame, and when it came: the program may be late to look. */
  heard(text: string, atMs: number): void
  pong(): void
}
export type OpenWire = (events: WireEvents) => Wire

/** A socket that keeps nothing of what it receives, as it may live for hours. */
export type FeedSocket = {
  isOpen(): boolean
  /** How many frames came. */
  heard(): number
  /** Within the limit of frames a minute: what comes too early waits. A renewal never does, as the connection hangs on it. */
  send(frame: ClientFrame): Promise<void>
  /** Looks again at each frame and at the close; false when time is up or the socket closed. */
  until(done: () => boolean, timeoutMs: number): Promise<boolean>
  /** As until, but whatever comes: looks again at the close, and at `lookAgain`. */
  untilTold(done: () => boolean, timeoutMs: number): Promise<boolean>
  lookAgain(): void
  /** Whether it answers a ping in time: in order, so what was sent before has arrived. */
  settled(timeoutMs: number): Promise<boolean>
  /** Done once it is closed: there are never two at a time. */
  close(): Promise<void>
}

const OPEN_MS = 10_000
/** For the peer to answer the close; one that never does is left to itself. */
const CLOSE_MS = 1000

type Wait = { done: () => boolean; over: () => boolean; timeoutMs: number }

/** Resolves with a socket that is open, or with undefined where it does not open. */
export async function openFeedSocket(options: {
  openWire: OpenWire
  tools: Tools
  onText: (text: string, atMs: number) => void
}): Promise<FeedSocket | undefined> {
  const { tools } = options
  const budget = createFrameBudget(tools)
  /** Frames come often, and most of the time nobody waits for one. */
  const atFrames = new Set<() => void>()
  const atChanges = new Set<() => void>()
  const wake = () => {
    for (const look of [...atFrames, ...atChanges]) look()
  }
  const wakeAtFrame = () => {
    if (atFrames.size > 0) for (const look of [...atFrames]) look()
  }
  let state: 'opening' | 'open' | 'closing' | 'closed' = 'opening'
  let heard = 0
  let pings = 0
  let pongs = 0
  const wire = options.openWire({
    opened() {
      // A late handshake would keep the client for as long as the socket stays open.
      if (state === 'opening') state = 'open'
      else wire.close()
      wake()
    },
    closed() {
      state = 'closed'
      wake()
    },
    heard(text, atMs) {
      heard++
      if (state === 'open') options.onText(text, atMs)
      wakeAtFrame()
    },
    pong() {
      pongs++
      wakeAtFrame()
    },
  })
  const waitUntil = (waiting: Set<() => void>, { done, over, timeoutMs }: Wait) =>
    new Promise<boolean>((resolve) => {
      const finish = (answer: boolean) => {
        waiting.delete(look)
        cancel()
        resolve(answer)
      }
      const look = () => {
        if (done()) finish(true)
        else if (over()) finish(false)
      }
      const cancel = tools.after(Math.max(0, timeoutMs), () => finish(done()))
      waiting.add(look)
      look()
    })
  const isOpen = () => state === 'open'
  const isOver = () => state === 'closing' || state === 'closed'
  const socket: FeedSocket = {
    isOpen,
    heard: () => heard,
    async send(frame) {
      const isUrgent = frame.action === 'authenticate'
      for (let ms = budget.waitMs(); ms > 0 && isOpen() && !isUrgent; ms = budget.waitMs())
        await socket.untilTold(() => false, ms)
      if (!isOpen()) return
      budget.spend()
      wire.send(JSON.stringify(frame))
    },
    until: (done, timeoutMs) => waitUntil(atFrames, { done, over: isOver, timeoutMs }),
    untilTold: (done, timeoutMs) => waitUntil(atChanges, { done, over: isOver, timeoutMs }),
    lookAgain: wake,
    settled(timeoutMs) {
      if (!isOpen()) return Promise.resolve(false)
      const mine = ++pings
      wire.ping()
      return socket.until(() => pongs >= mine, timeoutMs)
    },
    async close() {
      if (state === 'open') wire.close()
      if (!isOver()) state = 'closing'
      wake()
      const isClosed = () => state === 'closed'
      await waitUntil(atChanges, { done: isClosed, over: isClosed, timeoutMs: CLOSE_MS })
    },
  }
  if (await socket.untilTold(isOpen, OPEN_MS)) return socket
  state = 'closed'
  return undefined
}

/** Fewer than a socket may send: frames that left more than a minute apart may arrive closer together. */
const FRAMES_MAX = LIMITS.wsFramesPerMinute - 40
const MINUTE_MS = 60_000

/** Of any minute, wherever it begins. */
export function createFrameBudget({ nowMs }: { nowMs: () => number }): {
  /** How long to wait before the next frame; 0: it may go. */
  waitMs(): number
  spend(): void
} {
  const sentAtMs: number[] = []
  return {
    waitMs() {
      const oldest = sentAtMs[sentAtMs.length - FRAMES_MAX]
      return oldest === undefined ? 0 : Math.max(0, oldest + MINUTE_MS - nowMs())
    },
    spend() {
      sentAtMs.push(nowMs())
      if (sentAtMs.length > FRAMES_MAX) sentAtMs.shift()
    },
  }
}

/**
 * How many frames of a burst may be acted on at the most: a full allowance, and what a bucket that refills evenly adds
 * while the burst lasts.
 */
export function framesAllowed({ seconds }: { seconds: number }): number {
  return LIMITS.wsFramesPerMinute + Math.ceil((LIMITS.wsFramesPerMinute / 60) * seconds)
}
