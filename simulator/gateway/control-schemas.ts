import { z } from 'zod'
import type { Choices } from '../choices/choices.ts'
import { CONTROLS, FEED_ERRORS, type FeedError } from './feed-protocol.ts'

/** Every control that the server sends, as a set of choices spells it. */
export function controlSchemas({ feed }: Pick<Choices, 'feed'>) {
  return {
    authenticated: z.object({ control: z.literal(feed.controls.authenticated) }),
    error: z.object({
      control: z.literal(feed.controls.error),
      // as: the keys of the table are its codes
      code: z.enum(Object.keys(FEED_ERRORS) as [FeedError, ...FeedError[]]),
      room: z.string().optional().describe('that the frame named'),
    }),
    synchronized: z.object({ control: z.literal(CONTROLS.synchronized) }),
    resync_required: z.object({ control: z.literal(CONTROLS.resyncRequired) }),
  }
}
