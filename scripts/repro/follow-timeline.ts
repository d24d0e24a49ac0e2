import { type TimelineEntry, timelineEntrySchema } from '../../contract/timeline.ts'
import { followLines } from '../follow-lines.ts'

const LOOK_MS = 100

/** Tells each entry of a timeline as scenarios write it among their findings; `stop` gives all of them. */
export function followTimeline(options: { file: string; onEntry: (entry: TimelineEntry) => void }): {
  stop(): Promise<readonly TimelineEntry[]>
} {
  const { file, onEntry } = options
  const entries: TimelineEntry[] = []
  let looking = Promise.resolve()

  const take = (line: string) => {
    const entry = readEntry(line)
    if (entry === undefined) return
    entries.push(entry)
    onEntry(entry)
  }
  const lines = followLines(file, take)
  const lookOn = () => {
    looking = looking.then(lines.look)
    return looking
  }
  const timer = setInterval(() => void lookOn(), LOOK_MS)
  return {
    async stop() {
      clearInterval(timer)
      await lookOn()
      return entries
    },
  }
}

function readEntry(line: string): TimelineEntry | undefined {
  if (!line.startsWith('{"timeline":1')) return undefined
  try {
    return timelineEntrySchema.parse(JSON.parse(line))
  } catch {
    // A line that another VU wrote into.
    return undefined
  }
}
