import type { SeriesPoint } from '../../contract/series.ts'
import type { ByteWriter } from './byte-writer.ts'
import type { LeanPoint } from './lean-point.ts'
import { addLine, clearSum, createSum, type SeriesSum } from './series-sum.ts'
import { writeSum } from './write-sum.ts'

/** What tells one series from another. */
export type SeriesKey = Pick<SeriesPoint, 'metric' | 'type' | 'contains' | 'tags'>

/** The sums of a second, series by series; the second after it takes the same places. */
export type SeriesSums = {
  /** The place of a series: it holds until the `round` is another. */
  of(key: SeriesKey): SeriesSum
  round(): number
  /** Exact, as bucket counts add up. */
  add(to: SeriesSum, point: LeanPoint): void
  /**
   * Writes lines as k6's output writes and sorts them, the same sums as the same bytes, and answers how many samples they tell of;
   * then begins anew.
   */
  writeLines(second: number, writer: ByteWriter): number
}

/** Series that come and go are forgotten from time to time: what is held does not grow with the length of a run. */
const PLACES_MAX = 10_000
const ASKED_MAX = 200_000

/** `without` are tags that are left out, so that series that differ by nothing else become one. */
export function createSeriesSums({ without }: { without: ReadonlySet<string> }): SeriesSums {
  const places = new Map<string, SeriesSum>()
  let used: SeriesSum[] = []
  let asked = 0
  let round = 0
  return {
    of({ metric, type, contains, tags }) {
      asked += 1
      const key = { metric, type, contains, tags: tagsWithout(tags, without) }
      const text = JSON.stringify(key).slice(1, -1)
      const found = places.get(text)
      if (found !== undefined) return found
      const made = createSum(text, type === 'trend')
      places.set(text, made)
      return made
    },
    round: () => round,
    add(to, point) {
      if (to.lines === 0) used.push(to)
      addLine(to, point)
    },
    writeLines(second, writer) {
      let samples = 0
      for (const sum of used.sort((a, b) => (a.text < b.text ? -1 : 1))) {
        writeSum(sum, second, writer)
        samples += sum.count
        clearSum(sum)
      }
      used = []
      if (places.size > PLACES_MAX || asked > ASKED_MAX) {
        places.clear()
        asked = 0
        round += 1
      }
      return samples
    },
  }
}

function tagsWithout(tags: SeriesPoint['tags'], without: ReadonlySet<string>): SeriesPoint['tags'] {
  const names = Object.keys(tags)
    .filter((name) => !without.has(name))
    .sort()
  return Object.fromEntries(names.map((name) => [name, tags[name] ?? '']))
}
