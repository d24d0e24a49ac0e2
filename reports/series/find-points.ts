import type { SeriesPoint } from '../../contract/series.ts'
import { isMissing } from '../read-lines.ts'
import { isSeriesPoint } from './is-series-point.ts'
import { lineChunks } from './line-chunks.ts'

const LINE_END = 0x0a

/**
 * The points of a series file whose metric begins so: a few among many, as the lines between are not even read. Lines that are damaged
 * or cut off are left out. None where there is no such file. Throws a BreakwaterError (usage) where it cannot be read.
 */
export async function* findPoints(
  file: string,
  metricStart: string,
): AsyncGenerator<SeriesPoint, void, undefined> {
  // Its quotes are not escaped: only as the name of a metric, or the value of a tag of that name, can this stand in a line.
  const mark = Buffer.from(`"metric":"${metricStart}`)
  try {
    for await (const { bytes } of lineChunks(file)) {
      for (let at = bytes.indexOf(mark); at !== -1; ) {
        const end = bytes.indexOf(LINE_END, at)
        const point = parsed(bytes.toString('utf8', bytes.lastIndexOf(LINE_END, at) + 1, end))
        if (point?.metric.startsWith(metricStart)) yield point
        at = bytes.indexOf(mark, end)
      }
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

function parsed(line: string): SeriesPoint | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isSeriesPoint(value) ? value : undefined
  } catch {
    return undefined
  }
}
