import type { Target } from '../../../contract/scenario-config.ts'
import type { ClientFrame } from '../../../contract/schemas/feed.ts'
import type { FeedMessage } from '../feed/feed.ts'
import type { Reply } from './reply.ts'
import type { RequestSpec } from './request.ts'

/** Who sees every reply of this VU, and reads whose body never parsed; nobody in a load, which has no time for it. */
export const onlooker: {
  look?: (target: Target, spec: RequestSpec, reply: Reply) => void
  neverParsed?: (spec: RequestSpec, reply: Reply) => void
  /** For each socket that is opened. */
  socket?: (target: Target) => {
    sent: (frame: ClientFrame) => void
    came: (message: FeedMessage) => void
  }
} = {}
