import { type Appended, createSeries } from './append-series.ts'
import type { SeriesInput } from './series-source.ts'

/**
 * Makes one series.ndjson of several, exactly. Where one of them has no end, or is damaged, the result has no end line either: what
 * reads it then says that it covers a part. Throws a BreakwaterError (environment) where it cannot be written.
 */
export async function mergeSeries(options: {
  inputs: readonly SeriesInput[]
  output: string
  /** Of k6. */
  version: string
  startMs: number
  nowMs: number
}): Promise<Appended> {
  const { inputs, output, version, startMs, nowMs } = options
  const series = await createSeries({ file: output, k6: version, startMs })
  try {
    const appended = await series.append(inputs)
    if (appended.complete) await series.end(nowMs)
    else await series.close()
    return appended
  } catch (error) {
    await series.close()
    throw error
  }
}
