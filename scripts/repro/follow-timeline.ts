import { open } from 'node:fs/promises'
import { type TimelineEntry, timelineEntrySchema } from '../../contract/timeline.ts'

const LOOK_MS = 100
const CHUNK_BYTES = 1 << 20

/** Tells each entry of a timeline as scenarios write it among their findings; `stop` gives all of them. */
export function followTimeline(options: { file: string; onEntry: (entry: TimelineEntry) => void }): {
  stop(): Promise<readonly TimelineEntry[]>
} {
  const { file, onEntry } = options
  const entries: TimelineEntry[] = []
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let read = 0
  let rest: Buffer = Buffer.alloc(0)
  let looking = Promise.resolve()

  const take = (line: string) => {
    const entry = readEntry(line)
    if (entry === undefined) return
    entries.push(entry)
    onEntry(entry)
  }
  const look = async () => {
    const handle = await open(file).catch(() => undefined)
    if (handle === undefined) return
    try {
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, read)
        if (bytesRead === 0) return
        read += bytesRead
        // Cut at line ends, which no character of several bytes holds.
        const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
        const end = bytes.lastIndexOf('\n') + 1
        rest = bytes.subarray(end)
        for (const line of bytes.toString('utf8', 0, end).split('\n')) take(line)
      }
    } finally {
      await handle.close()
    }
  }
  const lookOn = () => {
    looking = looking.then(look)
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
