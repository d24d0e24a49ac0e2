import { open } from 'node:fs/promises'
import type { GeneratorHealth, TrialFacts } from '../../../contract/capacity.ts'
import { readGeneratorHealth } from '../../load/generator-health.ts'
import { cutWindow, judgedWindow, loadStartOf } from '../../load/judge-trial.ts'
import type { TargetWatch } from '../../load/scrape-target.ts'
import { mergedGenerator } from '../../past-runs/merged-run.ts'
import type { RunRecord } from '../run-record.ts'

/** How the runners of a load ended. */
export type ClusterEnd = Pick<TrialFacts, 'ended' | 'reason'>

/** The facts of the one trial that a run in a cluster is, by what its runners wrote. */
export async function clusterFacts(options: {
  record: RunRecord
  /** What each runner measured. */
  seriesFiles: readonly string[]
  end: ClusterEnd
  target: TargetWatch | null
}): Promise<TrialFacts> {
  const { record, seriesFiles, end, target } = options
  const { rate, warmUpSeconds, seconds } = record.load
  const startMs = await loadStartOf(seriesFiles)
  const planned = startMs === null ? null : judgedWindow({ startMs, warmUpSeconds, seconds })
  const endMs = await seriesEndOf(seriesFiles)
  // From when on one of them was missing, it was not the load that was asked for.
  const window = planned === null || endMs === null ? null : cutWindow(planned, endMs)
  const generators: GeneratorHealth[] = []
  for (const file of seriesFiles) {
    const health = await readGeneratorHealth([file], { ...(window ?? NO_WINDOW), cores: record.cpu })
    // Other pods share the node.
    generators.push({ ...health, machineBusy: null })
  }
  return {
    trial: 1,
    phase: 'stage',
    rate,
    rateFrom: null,
    warmUpSeconds,
    seconds,
    judgedFrom: window?.from ?? null,
    judgedTo: window?.to ?? null,
    ended: end.ended,
    reason: end.reason,
    instances: record.parallelism,
    vusMax: record.vusMax,
    generator: mergedGenerator(generators),
    target: target?.health({ fromMs: (window?.from ?? 0) * 1000, toMs: (window?.to ?? 0) * 1000 }) ?? null,
  }
}

/** Nothing was judged. */
const NO_WINDOW = { from: 0, to: 0 }

/** More than a second of any runner. */
const TAIL_BYTES = 1 << 20

/**
 * Unix ms, by the clocks of their nodes: until when all of the files of a load tell of it. What a runner that was killed has not
 * pushed is not there to be told of. Null: one of them tells of nothing.
 */
export async function seriesEndOf(files: readonly string[]): Promise<number | null> {
  let leastMs = Number.POSITIVE_INFINITY
  // One after another: the tails of hundreds are not to lie in memory together.
  for (const file of files) {
    const endMs = await endOf(file)
    if (endMs === null) return null
    leastMs = Math.min(leastMs, endMs)
  }
  return leastMs
}

async function endOf(file: string): Promise<number | null> {
  const lines = (await tailOf(file)).split('\n')
  // What follows the last line end is no whole line.
  for (const line of lines.slice(0, -1).reverse()) {
    const endMs = endIn(line)
    if (endMs !== null) return endMs
  }
  return null
}

/** The end line has the time of the end; a point is of a whole second. */
function endIn(line: string): number | null {
  try {
    const { type, time } = JSON.parse(line)
    if (type === 'end') return Date.parse(time)
    return typeof time === 'number' ? (time + 1) * 1000 : null
  } catch {
    return null // the tail begins within a line
  }
}

async function tailOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => null)
  if (handle === null) return ''
  try {
    const { size } = await handle.stat()
    const position = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - position), position })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
