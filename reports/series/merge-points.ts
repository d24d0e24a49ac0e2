import type { ByteWriter } from './byte-writer.ts'
import { createLeanPoint } from './lean-point.ts'
import type { SeriesSource } from './series-source.ts'
import { createSeriesSums } from './series-sums.ts'

/** How many samples the lines of one second tell of. */
export type MergedSecond = { second: number; samples: number }

/**
 * Merges several files second by second into the writer: the lines of the same series are added up. Of each file no more is held than two chunks.
 * Where a file goes back in time, a second comes once more: its lines add up as well.
 */
export async function* mergedSeconds(options: {
  sources: readonly SeriesSource[]
  /** Tags to leave out. */
  without: ReadonlySet<string>
  writer: ByteWriter
}): AsyncGenerator<MergedSecond, void, undefined> {
  const { sources, without, writer } = options
  const sums = createSeriesSums({ without })
  const into = { sums, point: createLeanPoint() }
  try {
    for (;;) {
      const second = await nextSecond(sources)
      if (second === undefined) return
      for (const source of sources) await source.addSecond(second, into)
      const before = writer.length
      const samples = sums.writeLines(second, writer)
      if (writer.length > before) yield { second, samples }
    }
  } finally {
    for (const source of sources) await source.close()
  }
}

async function nextSecond(sources: readonly SeriesSource[]): Promise<number | undefined> {
  let least: number | undefined
  for (const source of sources) {
    const second = await source.second()
    if (second !== undefined && (least === undefined || second < least)) least = second
  }
  return least
}
