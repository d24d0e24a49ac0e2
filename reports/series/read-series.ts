import type { Slo } from '../../contract/slo.ts'
import { type Line, readLines } from '../read-lines.ts'
import { HISTOGRAM_SCALE } from '../statistics/histogram.ts'
import { createFoldedSeries, type FoldedSeries, foldPoint, METRICS_READ } from './fold-series.ts'
import { isSeriesPoint } from './is-series-point.ts'
import type { Slice } from './slice.ts'

export type SeriesRead = {
  series: FoldedSeries
  /** Those that were asked for, in their order. */
  slices: readonly FoldedSeries[]
  /** True where every line was read, up to an end line. */
  complete: boolean
  /** What is wrong with the file, in sentences. */
  notes: string[]
}

const FORMAT = 1

/** What one line turned out to be; a text says why the file is damaged from here on. */
type Reading = 'point' | 'end' | { damage: string }

/**
 * Folds series.ndjson as it is read: up to its end, or up to the first damaged line. The whole, and each slice, to be judged
 * by the same objectives.
 */
export async function readSeries(
  file: string,
  options: { slo?: Slo | null; slices?: readonly Slice[] } = {},
): Promise<SeriesRead> {
  const { slo = null } = options
  const series = createFoldedSeries({ slo })
  const slices = (options.slices ?? []).map((slice) => createFoldedSeries({ slo, slice }))
  const folded = [series, ...slices]
  let linesRead = 0
  let ended = false
  let damage: string | undefined
  const found = await readLines(file, (line) => {
    const reading = linesRead === 0 ? readHeader(line) : readPoint(line, folded)
    linesRead += 1
    if (reading === 'point') return undefined
    if (reading === 'end') ended = true
    else damage = reading.damage
    return 'stop'
  })
  const notes = [
    !found && 'series.ndjson is missing: nothing is known about latency.',
    found && linesRead === 0 && 'series.ndjson is empty: nothing is known about latency.',
    damage,
    !ended &&
      linesRead > 0 &&
      'The load generator was stopped before it finished its series: figures cover a part.',
  ].filter((note) => typeof note === 'string')
  return { series, slices, complete: ended, notes }
}

function readHeader({ text }: Line): Reading {
  const header = parseObject(text)
  if (header.type !== 'header') return damaged('series.ndjson does not begin with a header: it was not read.')
  if (header.format !== FORMAT || header.scale !== HISTOGRAM_SCALE) {
    return damaged(
      `series.ndjson has format ${header.format}, scale ${header.scale}; this version reads format ${FORMAT}, scale ${HISTOGRAM_SCALE}: it was not read.`,
    )
  }
  return 'point'
}

/** Of the metrics that no part of the report needs, only the name is read: parsing is most of the time a report takes. */
function readPoint(line: Line, folded: readonly FoldedSeries[]): Reading {
  const metric = METRIC.exec(line.text)?.[1]
  if (metric !== undefined && !METRICS_READ.has(metric) && line.text.endsWith('}')) return 'point'
  const parsed = parseObject(line.text)
  if (parsed.type === 'end') return 'end'
  if (!isSeriesPoint(parsed)) return damaged(describeDamage(line))
  for (const series of folded) foldPoint(series, parsed)
  return 'point'
}

/** As the k6 output writes lines: the metric stands before the tags, and quotes inside any text are escaped. */
const METRIC = /^\{"time":\d+,"metric":"([^"\\]*)"/

/** The object that a line holds; an empty one where it holds none. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {} // as: an object
  } catch {
    return {}
  }
}

function damaged(damage: string): Reading {
  return { damage }
}

function describeDamage({ number, terminated }: Line): string {
  return terminated
    ? `series.ndjson is damaged at line ${number}: that line and all after it were not read.`
    : `series.ndjson breaks off in the middle of line ${number}: that line was not read.`
}
