import { type ClientFrame, clientFrameSchema } from '../../../contract/schemas/feed.ts'
import type { FeedChoices } from '../../choices/feed-choices.ts'
import type { Clock } from '../../clock.ts'
import type { Outbox } from './outbox.ts'

export type FrameWindow = {
  /** Whether one more fits now; if so it takes a place, which is free again one window later. */
  take(): boolean
}

/**
 * At most `framesMax` in any window of `windowMs`: a ring of the times of the last `framesMax`. Where the clock has
 * been put back, frames of a time to come count no more.
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

/** Whether a frame may be acted on. Tells the client of refused ones, now and then, and gives up on a flood. */
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
  const told = createFrameWindow({ clock, framesMax: 1, windowMs: feed.refusalIntervalMs })

  return () => {
    if (admitted.take()) return true
    if (!refused.take()) flooded()
    else if (feed.controls.error !== null && told.take()) {
      outbox.sendControl({ control: feed.controls.error, code: 'frames_limited' })
    }
    return false
  }
}

const FRAME_WINDOWS = { sliding: createFrameWindow, fixed: createFixedFrameWindow }

/** At most `framesMax` in each stretch of `windowMs`, the first of which begins with the first frame. */
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
      // Also where the clock has been put back.
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

/** A text frame's action; undefined where it is not JSON or none of the four actions. Further keys are ignored. */
export function parseFrame(bytes: Buffer): ClientFrame | undefined {
  try {
    return clientFrameSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined // not JSON
  }
}
