import type { TimelineEntry } from '../../contract/timeline.ts'
import type { Io } from '../io.ts'
import { paintFor } from '../paint.ts'
import { timelineText } from './timeline-text.ts'

/** Of more actors nobody reads along. */
const ACTORS_MAX = 20
const ACTOR_WIDTH_MIN = 10

/** Prints entries as they come: of the first actors all, of the others how many there were. */
export function createTimelinePrinter(io: Io): { print(entry: TimelineEntry): void; end(): void } {
  const paint = paintFor(io)
  const shown = new Set<string>()
  const others = new Set<string>()
  let untold = 0
  let actorWidth = ACTOR_WIDTH_MIN
  return {
    print(entry) {
      const { actor } = entry
      if (shown.size < ACTORS_MAX) shown.add(actor)
      if (shown.has(actor)) {
        actorWidth = Math.max(actorWidth, actor.length)
        io.stdout(timelineText(entry, { actorWidth, paint }))
      } else {
        others.add(actor)
        untold++
      }
    },
    end() {
      if (untold > 0) io.stdout(`and ${untold} entries of ${others.size} more actors, which the timeline has`)
    },
  }
}
