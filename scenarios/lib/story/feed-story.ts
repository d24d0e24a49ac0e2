import type { Target } from '../../../contract/scenario-config.ts'
import { redactor } from '../secrets/redact.ts'
import { lineOf } from './story-line.ts'
import { tell, tellerOfSocket, telling } from './timeline.ts'

export type FeedStory = {
  opened(): void
  /** It never opened. */
  refused(failure: string): void
  sent(text: string): void
  came(text: string): void
  closed(how: { code: number; reason: string }): void
}

/** How many sockets each actor has opened. */
const opened = new Map<string, number>()

/** Tells the timeline of one socket; null where no case is played. */
export function createFeedStory(target: Target): FeedStory | null {
  if (!telling) return null
  const comes = tellerOfSocket(target)
  let name = 'feed'
  return {
    opened() {
      const actor = target.actor ?? ''
      const count = (opened.get(actor) ?? 0) + 1
      opened.set(actor, count)
      if (count > 1) name = `feed ${count}`
      tell(target, 'opened', name)
    },
    refused: (failure) => tell(target, 'came', `${name} does not open: ${lineOf(failure)}`),
    sent: (text) => tell(target, 'sent', `${name} ${lineOf(redactor.redactBody(text))}`),
    came: (text) => comes('came', `${name} ${lineOf(redactor.redactBody(text))}`),
    closed: ({ code, reason }) => comes('closed', lineOf(`${name} with ${code} ${reason}`).trim()),
  }
}
