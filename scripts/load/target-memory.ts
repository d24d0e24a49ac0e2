import type { TargetMemory } from '../../contract/capacity.ts'
import type { OfferedSockets } from '../../contract/scenario-config.ts'

export type MemoryScrape = { residentBytes: number | null; heapBytes: number | null }

/** Epoch ms: the first socket opens, all are due, and the judged part ends. */
export type OpeningTimes = { opensMs: number; dueMs: number; endsMs: number }

export type MeasuredMemory = Omit<TargetMemory, 'sockets'>

/** The median memory before the first socket opened, and once all were due; null: too few scrapes show it. */
export function summarizeMemory(
  scrapes: readonly (MemoryScrape & { atMs: number })[],
  { opensMs, dueMs, endsMs }: OpeningTimes,
): MeasuredMemory | null {
  for (const kind of ['resident', 'heap'] as const) {
    const select = (isWithin: (atMs: number) => boolean) =>
      scrapes.flatMap((scrape) => {
        const bytes = scrape[`${kind}Bytes`]
        return bytes !== null && isWithin(scrape.atMs) ? [bytes] : []
      })
    const beforeBytes = computeMedian(select((atMs) => atMs < opensMs))
    const afterBytes = computeMedian(select((atMs) => atMs >= dueMs && atMs <= endsMs))
    if (beforeBytes !== undefined && afterBytes !== undefined) return { kind, beforeBytes, afterBytes }
  }
  return null
}

/** VUs sign in and learn the pools in the first second. */
const OPENS_AFTER_MS = 1000

/** The memory of the target in a trial of sockets; undefined: not known. */
export function measureMemory(options: {
  watch: { memory(times: OpeningTimes): MeasuredMemory | null }
  /** Epoch ms; null: the load never started. */
  startMs: number | null
  endsMs: number
  offered: OfferedSockets | undefined
}): TargetMemory | undefined {
  const { watch, startMs, endsMs, offered } = options
  if (startMs === null || offered === undefined) return undefined
  const dueMs = startMs + offered.dueAfterSeconds * 1000
  const measured = watch.memory({ opensMs: startMs + OPENS_AFTER_MS, dueMs, endsMs })
  return measured === null ? undefined : { ...measured, sockets: offered.count }
}

function computeMedian(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
