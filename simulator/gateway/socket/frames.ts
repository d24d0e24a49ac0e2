import { type ClientFrame, clientFrameSchema } from '../../../contract/schemas/wire.ts'
import type { FeedChoices } from '../../choices/feed-choices.ts'
import type { Clock } from '../../clock.ts'
import type { Outbox } from './outbox.ts'

export type FrameWindow = {
  /** Takes a place if one is free; it is free again one window later. */
  take(): boolean
}

/**
 * At most `framesMax` in any window of `windowMs`: a ring of the last `framesMax` times. If the clock moves back,
 * frames from the future no longer count.
 */
export function createFrameWindow(options: {
  clock: Clock
  framesMax: number
  windowMs: number
}): FrameWindow {
  const { clock, framesMax, windowMs } = options
  const takenAtMs: number[] = []
  let oldest = 0
  let latestAtMs = Number.NEGATIVE_INFINITY

  return {
    take() {
      const nowMs = clock.nowMs()
      if (nowMs < latestAtMs) {
        takenAtMs.length = 0
        oldest = 0
      }
      latestAtMs = nowMs
      if (takenAtMs.length < framesMax) {
        takenAtMs.push(nowMs)
        return true
      }
      const oldestAtMs = takenAtMs[oldest]
      if (oldestAtMs === undefined || nowMs - oldestAtMs < windowMs) return false
      takenAtMs[oldest] = nowMs
      oldest = (oldest + 1) % framesMax
      return true
    },
  }
}

/** True if a frame may be handled. Notifies the client of rejected frames at intervals, and gives up on a flood. */
export function createFrameGate(options: {
  clock: Clock
  framesMax: number
  outbox: Pick<Outbox, 'sendControl'>
  feed: FeedChoices
  flooded: () => void
}): () => boolean {
  const { clock, framesMax, outbox, feed, flooded } = options
  const windowMs = feed.frameWindowMs
  const createWindow = FRAME_WINDOWS[feed.frameWindow]
  const admitted = createWindow({ clock, framesMax, windowMs })
  const refused = createFrameWindow({ clock, framesMax: feed.refusedFramesMax, windowMs })
  const errorWindow = createFrameWindow({ clock, framesMax: 1, windowMs: feed.refusalIntervalMs })

  return () => {
    if (admitted.take()) return true
    if (!refused.take()) flooded()
    else if (feed.controls.error !== null && errorWindow.take()) {
      outbox.sendControl({ control: feed.controls.error, code: 'frames_limited' })
    }
    return false
  }
}

const FRAME_WINDOWS = { sliding: createFrameWindow, fixed: createFixedFrameWindow }

/** At most `framesMax` in each period of `windowMs`; the first starts with the first frame. */
export function createFixedFrameWindow(options: {
  clock: Clock
  framesMax: number
  windowMs: number
}): FrameWindow {
  const { clock, framesMax, windowMs } = options
  let startMs = Number.NEGATIVE_INFINITY
  let taken = 0

  return {
    take() {
      const nowMs = clock.nowMs()
      // The clock may have moved back.
      if (nowMs < startMs || nowMs - startMs >= windowMs) {
        startMs = nowMs
        taken = 0
      }
      if (taken === framesMax) return false
      taken++
      return true
    },
  }
}

/** Parses a text frame; undefined if it is not JSON or not one of the four actions. Ignores further keys. */
export function parseFrame(bytes: Buffer): ClientFrame | undefined {
  try {
    return clientFrameSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined // not JSON
  }
}
