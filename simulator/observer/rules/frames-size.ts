import { LIMITS } from '../../../contract/limits.ts'
import type { ObserverRule } from '../observer-rule.ts'

export const framesSize: ObserverRule = {
  id: 'client.frames.size',
  advice: 'A frame holds one action and one room or ticket: send one for each.',
  watch: ({ saw, accuse }) => ({
    frame({ client, number, entries }, { action, entry }) {
      saw()
      if (action !== 'too large') return
      accuse(client, {
        observed: `socket ${number} sent a frame of more than ${LIMITS.wsFrameBytesMax} bytes`,
        evidence: [...entries, entry],
      })
    },
  }),
}
