import type { Target } from '../../../contract/scenario-config.ts'
import type { ClientFrame } from '../../../contract/schemas/feed.ts'
import type { FeedMessage } from './feed.ts'

/** Sees every frame of every socket that this VU opens. Not set in load tests, which have no time for it. */
export const socketOnlooker: {
  opened?: (target: Target) => {
    sent: (frame: ClientFrame) => void
    came: (message: FeedMessage) => void
  }
} = {}
