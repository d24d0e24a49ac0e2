import type { SeriesPoint } from '../../contract/series.ts'
import { isMissing, type Line, lineBatches } from '../read-lines.ts'
import { type LineRead, readHeader, readPoint } from './read-line.ts'
import { watchClock } from './watch-clock.ts'

export type SeriesInput = {
  file: string
  /** In messages. */
  name: string
  /** Values of the tag `trial` whose points are not read; none, where left out. */
  withoutTrials?: ReadonlySet<string>
}

/** A series file that is read point by point, as far as it is whole. */
export type SeriesSource = {
  /** The next point, which stays the next until `take`; undefined at the end. */
  peek(): Promise<SeriesPoint | undefined>
  take(): void
  /** Once all was read: whether it came to its end line, and what is wrong with it, in sentences. */
  complete(): boolean
  notes(): string[]
}

/** Opens a file for reading point by point. A damaged line ends it there, and is told by `notes`; it does not throw. */
export function openSource({ file, name, withoutTrials }: SeriesInput): SeriesSource {
  const reads = linesRead(file, name)
  const clock = watchClock(name)
  let waiting: SeriesPoint[] = []
  let at = 0
  let ended = false
  let wrong: string | undefined
  const refill = async () => {
    const { value, done } = await reads.next()
    waiting = []
    at = 0
    if (done) return false
    for (const read of value) {
      if (read.kind === 'point') {
        clock.see(read.point.time)
        if (!withoutTrials?.has(read.point.tags.trial ?? '')) waiting.push(read.point)
      } else if (read.kind === 'damage') wrong = read.damage
      else if (read.kind === 'end') ended = true
    }
    return true
  }
  return {
    async peek() {
      while (at >= waiting.length) if (!(await refill())) return undefined
      return waiting[at]
    },
    take() {
      at += 1
    },
    complete: () => ended,
    notes: () => [
      ...(wrong === undefined ? [] : [wrong]),
      ...(ended || wrong !== undefined
        ? []
        : [`${name} has no end: its k6 was stopped, or its disk was full.`]),
      ...clock.notes(),
    ],
  }
}

/** Up to the end, or to the first damaged line. */
async function* linesRead(file: string, name: string): AsyncGenerator<LineRead[], void, undefined> {
  let isFirst = true
  const read = (line: Line) => {
    const result = isFirst ? readHeader(line, name) : readPoint(line, name, () => true)
    isFirst = false
    return result
  }
  try {
    for await (const lines of lineBatches(file)) {
      const reads: LineRead[] = []
      for (const line of lines) {
        const result = read(line)
        reads.push(result)
        if (result.kind === 'end' || result.kind === 'damage') {
          yield reads
          return
        }
      }
      yield reads
    }
  } catch (error) {
    if (!isMissing(error)) throw error
    yield [{ kind: 'damage', damage: `${name} is missing.` }]
    return
  }
  if (isFirst) yield [{ kind: 'damage', damage: `${name} is empty.` }]
}
