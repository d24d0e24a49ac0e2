import { type TimelineLine, timelineLineSchema } from '../../contract/timeline.ts'
import { readLines } from '../read-lines.ts'

export type TimelineRead = {
  lines: TimelineLine[]
  /** What is wrong with the file, in sentences. */
  notes: string[]
}

/** Reads timeline.ndjson; undefined where the run has none. */
export async function readTimeline(file: string): Promise<TimelineRead | undefined> {
  const lines: TimelineLine[] = []
  let malformed = 0
  const found = await readLines(file, ({ text }) => {
    const line = readLine(text)
    if (line === undefined) malformed++
    else lines.push(line)
    return undefined
  })
  if (!found) return undefined
  const notes =
    malformed === 0
      ? []
      : [`${malformed} of ${malformed + lines.length} lines of timeline.ndjson cannot be understood.`]
  return { lines, notes }
}

function readLine(text: string): TimelineLine | undefined {
  try {
    return timelineLineSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
