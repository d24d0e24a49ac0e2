import { LIMITS } from '../contract/limits.ts'
import type { ClientFrame } from '../contract/schemas/wire.ts'
import type { Tools } from './time-and-chance.ts'

export type Wire = { send(text: string): void; ping(): void; close(): void }
export type WireEvents = {
  opened(): void
  /** `waitMs`: the handshake was rejected with this wait. */
  closed(serverWaitMs?: number): void
  /** `atMs`: when the frame arrived, which may be before the program handles it. */
  received(text: string, atMs: number): void
  pong(): void
}
export type OpenWire = (events: WireEvents) => Wire

/** Keeps no received frames, because it may stay open for hours. */
export type FeedSocket = {
  isOpen(): boolean
  receivedCount(): number
  /** Delays frames beyond the limit per minute, except renewals, because the connection depends on them. */
  send(frame: ClientFrame): Promise<void>
  /** Checks `done` at each frame and at the close; false on timeout or close. */
  until(done: () => boolean, timeoutMs: number): Promise<boolean>
  /** As `until`, but checks only at the close and at `lookAgain`. */
  untilNotified(done: () => boolean, timeoutMs: number): Promise<boolean>
  lookAgain(): void
  /** True if a pong comes in time: in order, so earlier frames have arrived. */
  settled(timeoutMs: number): Promise<boolean>
  /** Resolves once it is closed, so that there are never two sockets at a time. */
  close(): Promise<void>
}

const OPEN_MS = 10_000
/** Wait for the peer to confirm the close; then the socket is abandoned. */
const CLOSE_MS = 1000

type Wait = { done: () => boolean; over: () => boolean; timeoutMs: number }

export async function openFeedSocket(options: {
  openWire: OpenWire
  tools: Tools
  onText: (text: string, atMs: number) => void
}): Promise<FeedSocket | undefined> {
  const { tools } = options
  const budget = createFrameBudget(tools)
  /** Frames are frequent, and usually nothing waits for one. */
  const atFrames = new Set<() => void>()
  const atChanges = new Set<() => void>()
  const wake = () => {
    for (const look of [...atFrames, ...atChanges]) look()
  }
  const wakeAtFrame = () => {
    if (atFrames.size > 0) for (const look of [...atFrames]) look()
  }
  let state: 'opening' | 'open' | 'closing' | 'closed' = 'opening'
  let receivedCount = 0
  let pings = 0
  let pongs = 0
  const wire = options.openWire({
    opened() {
      // A late handshake would keep the client until the socket closes.
      if (state === 'opening') state = 'open'
      else wire.close()
      wake()
    },
    closed() {
      state = 'closed'
      wake()
    },
    received(text, atMs) {
      receivedCount++
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
    receivedCount: () => receivedCount,
    async send(frame) {
      const isUrgent = frame.action === 'authenticate'
      for (let ms = budget.waitMs(); ms > 0 && isOpen() && !isUrgent; ms = budget.waitMs())
        await socket.untilNotified(() => false, ms)
      if (!isOpen()) return
      budget.spend()
      wire.send(JSON.stringify(frame))
    },
    until: (done, timeoutMs) => waitUntil(atFrames, { done, over: isOver, timeoutMs }),
    untilNotified: (done, timeoutMs) => waitUntil(atChanges, { done, over: isOver, timeoutMs }),
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
  if (await socket.untilNotified(isOpen, OPEN_MS)) return socket
  state = 'closed'
  return undefined
}

/** With a margin: frames sent more than a minute apart may arrive closer together. */
const FRAMES_MAX = LIMITS.wsFramesPerMinute - 40
const MINUTE_MS = 60_000

/** Sliding window of a minute. */
export function createFrameBudget({ nowMs }: { nowMs: () => number }): {
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

/** The maximum number of frames handled in a burst: a full allowance plus the refill during the burst. */
export function framesAllowed({ seconds }: { seconds: number }): number {
  return LIMITS.wsFramesPerMinute + Math.ceil((LIMITS.wsFramesPerMinute / 60) * seconds)
}
