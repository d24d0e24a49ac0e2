import { createReadStream } from 'node:fs'
import type { SeriesPoint } from '../../contract/series.ts'
import { isSeriesPoint } from '../../reports/series/is-series-point.ts'

/** What a k6 told of itself in its series (docs/formats.md). */
export type OwnPoint = Pick<SeriesPoint, 'time' | 'metric' | 'sum' | 'max'>

/** Unescaped quotes: within a text of a line this cannot stand. */
const MARK = Buffer.from('"metric":"generator_')
const LINE = /^\{"time":\d+,"metric":"generator_[a-z_]+","type":"(?:counter|gauge)"/
const LINE_END = 0x0a
/** Longer than any line: a file without line ends is damaged, and must not fill the memory. */
const LINE_BYTES_MAX = 16 << 20

/**
 * The points of `generator_` metrics in a series file. It looks for them without reading the lines between, of which a load has a
 * hundred for each; lines that are damaged or cut off are left out. None where there is no such file.
 */
export async function generatorPoints(file: string): Promise<OwnPoint[]> {
  const points: OwnPoint[] = []
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      const bytes = Buffer.concat([rest, chunk as Buffer]) // as: a stream without an encoding gives buffers
      const end = bytes.lastIndexOf(LINE_END) + 1
      collect(bytes.subarray(0, end), points)
      rest = bytes.subarray(end)
      if (rest.length > LINE_BYTES_MAX) break
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // as: node:fs throws these
  }
  return points
}

function collect(lines: Buffer, into: OwnPoint[]): void {
  for (let at = lines.indexOf(MARK); at !== -1; ) {
    const start = lines.lastIndexOf(LINE_END, at) + 1
    const end = lines.indexOf(LINE_END, at)
    const point = pointOf(lines.toString('utf8', start, end))
    if (point !== null) into.push(point)
    at = lines.indexOf(MARK, end)
  }
}

function pointOf(line: string): OwnPoint | null {
  if (!LINE.test(line)) return null
  try {
    const parsed: unknown = JSON.parse(line)
    return isSeriesPoint(parsed) ? parsed : null
  } catch {
    return null
  }
}
