import { LIMITS } from '../../../contract/limits.ts'
import type { FeedChoices } from '../../choices/feed-choices.ts'
import type { Clock } from '../../clock.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createFixedFrameWindow } from './fixed-frame-window.ts'
import { createFrameWindow } from './frame-window.ts'

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
