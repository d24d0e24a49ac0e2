import type { SeriesPoint } from '../../contract/series.ts'
import type { Line } from '../read-lines.ts'
import { HISTOGRAM_SCALE } from '../statistics/histogram.ts'
import { isSecond, isSeriesPoint } from './is-series-point.ts'

export const SERIES_FORMAT = 1

/** What a line of series.ndjson turned out to be. Nothing is read behind an end, or behind damage, which is a sentence. */
export type LineRead =
  | { kind: 'header'; start: string; k6: string }
  | { kind: 'point'; point: SeriesPoint }
  | { kind: 'unneeded'; time: number }
  | { kind: 'end' }
  | { kind: 'damage'; damage: string }

/** The first line of a file; `file` is its name in messages. */
export function readHeader({ text }: Line, file: string): LineRead {
  const { type, format, scale, start, k6 } = parseObject(text)
  if (type !== 'header') return damaged(`${file} does not begin with a header: it was not read.`)
  if (format !== SERIES_FORMAT || scale !== HISTOGRAM_SCALE) {
    return damaged(
      `${file} has format ${format}, scale ${scale}; this version reads format ${SERIES_FORMAT}, scale ${HISTOGRAM_SCALE}: it was not read.`,
    )
  }
  return { kind: 'header', start: String(start), k6: String(k6) }
}

/**
 * Any other line. Of the metrics that are not needed, only name and second are read: parsing is most of the time that a
 * report takes.
 */
export function readPoint(line: Line, file: string, isNeeded: (metric: string) => boolean): LineRead {
  const [, time, metric] = TIME_AND_METRIC.exec(line.text) ?? []
  if (metric !== undefined && !isNeeded(metric) && isSecond(Number(time)) && line.text.endsWith('}')) {
    return { kind: 'unneeded', time: Number(time) }
  }
  const parsed = parseObject(line.text)
  if (parsed.type === 'end') return { kind: 'end' }
  return isSeriesPoint(parsed) ? { kind: 'point', point: parsed } : damaged(describeDamage(line, file))
}

/** As the k6 output writes lines: the metric stands before the tags, and quotes inside any text are escaped. */
const TIME_AND_METRIC = /^\{"time":(\d+),"metric":"([^"\\]*)"/

/** The object that a line holds; an empty one where it holds none. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {} // as: an object
  } catch {
    return {}
  }
}

function damaged(damage: string): LineRead {
  return { kind: 'damage', damage }
}

function describeDamage({ number, terminated }: Line, file: string): string {
  return terminated
    ? `${file} is damaged at line ${number}: that line and all after it were not read.`
    : `${file} breaks off in the middle of line ${number}: that line was not read.`
}
