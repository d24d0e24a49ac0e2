import { z } from 'zod'
import type { Choices } from '../choices/choices.ts'
import { CONTROLS, FEED_ERRORS, type FeedError } from './feed-protocol.ts'

/** Every control that the server sends, as a set of choices spells it; those that a set does without are missing. */
export function controlSchemas({ feed }: Pick<Choices, 'feed'>): Record<string, z.ZodType> {
  const { greeting, authenticated, error } = feed.controls
  return {
    ...(greeting !== null && { greeting: z.object({ control: z.literal(greeting) }) }),
    ...(authenticated !== null && { authenticated: z.object({ control: z.literal(authenticated) }) }),
    ...(error !== null && {
      error: z.object({
        control: z.literal(error),
        // as: the keys of the table are its codes
        code: z.enum(Object.keys(FEED_ERRORS) as [FeedError, ...FeedError[]]),
        room: z.string().optional().describe('that the frame named'),
      }),
    }),
    synchronized: z.object({ control: z.literal(CONTROLS.synchronized) }),
    resync_required: z.object({ control: z.literal(CONTROLS.resyncRequired) }),
  }
}
