import { LIMITS } from '../../../contract/limits.ts'
import type { FeedChoices } from '../../choices/feed-choices.ts'
import type { Clock } from '../../clock.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createFrameWindow, type FrameWindow } from './frame-window.ts'

/** Whether a frame may be acted on. Tells the client of refused ones, now and then, and gives up on a flood. */
export function createFrameGate(options: {
  clock: Clock
  mutant: MutantName | null
  outbox: Pick<Outbox, 'sendControl'>
  feed: FeedChoices
  flooded: () => void
}): () => boolean {
  const { clock, mutant, outbox, feed, flooded } = options
  const windowMs = feed.frameWindowMs
  const framesMax = (mutant && FRAMES_OF_MUTANT[mutant]) ?? LIMITS.wsFramesPerMinute
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

const FRAMES_OF_MUTANT: Partial<Record<MutantName, number>> = { 'ws-300-frames': 300, 'ws-200-frames': 200 }

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
