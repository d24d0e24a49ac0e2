import { isMissing } from '../read-lines.ts'
import { lineChunks } from './line-chunks.ts'
import { createSeriesLines, type Into } from './series-lines.ts'

export type SeriesInput = {
  file: string
  /** In messages. */
  name: string
  /** Values of the tag `trial` whose points are not read; none, where left out. */
  withoutTrials?: ReadonlySet<string>
}

/** A series file that is read second by second, as far as it is whole. */
export type SeriesSource = {
  /** That of the next line; undefined at the end. */
  second(): Promise<number | undefined>
  /** Adds the lines of that second that come next. */
  addSecond(second: number, into: Into): Promise<void>
  /** Once all was read: whether it came to its end line, and what is wrong with it, in sentences. */
  complete(): boolean
  notes(): string[]
  close(): Promise<void>
}

/**
 * Opens a file for reading second by second. A file that is damaged ends before the damage, and one that is missing at once: `notes`
 * tells it. Throws a BreakwaterError (usage) where it cannot be read.
 */
export function openSource({ file, name, withoutTrials }: SeriesInput): SeriesSource {
  const chunks = lineChunks(file)
  const lines = createSeriesLines(name, withoutTrials)
  /** Of what can be peeked at; undefined at the end. */
  const second = async () => {
    for (;;) {
      const next = lines.peek()
      if (next !== undefined || lines.isOver()) return next
      const read = await chunks.next().catch((error) => {
        if (!isMissing(error)) throw error
        lines.finish(`${name} is missing.`)
      })
      if (read?.value) lines.load(read.value)
      else lines.finish()
    }
  }
  return {
    second,
    async addSecond(wanted, into) {
      while ((await second()) === wanted) {
        while (lines.peek() === wanted) lines.add(wanted, into)
      }
    },
    complete: lines.complete,
    notes: lines.notes,
    async close() {
      await chunks.return()
    },
  }
}
