import { open } from 'node:fs/promises'
import type { GeneratorHealth, TrialFacts } from '../../../contract/capacity.ts'
import { type HealthWindow, readGeneratorHealth } from '../../load/generator-health.ts'
import { computeJudgedWindow, cutWindow, readLoadStart } from '../../load/judge-trial.ts'
import type { TargetWatch } from '../../load/scrape-target.ts'
import { mergeGenerators } from '../../run-history/merged-run.ts'
import type { RunRecord } from '../run-record.ts'

export type ClusterEnd = Pick<TrialFacts, 'ended' | 'reason'>

export async function readClusterFacts(options: {
  record: RunRecord
  seriesFiles: readonly string[]
  end: ClusterEnd
  target: TargetWatch | null
}): Promise<TrialFacts> {
  const { record, seriesFiles, end, target } = options
  const { rate, warmUpSeconds, seconds } = record.load
  const startMs = await readLoadStart(seriesFiles)
  const planned = startMs === null ? null : computeJudgedWindow({ startMs, warmUpSeconds, seconds })
  const endMs = await readSeriesEnd(seriesFiles)
  // With a runner missing, the rest is not the requested load.
  const window = planned === null || endMs === null ? null : cutWindow(planned, endMs)
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
    ...(await readRunnersHealth(seriesFiles, { ...(window ?? NO_WINDOW), cores: record.cpu })),
    target: target?.health({ fromMs: (window?.from ?? 0) * 1000, toMs: (window?.to ?? 0) * 1000 }) ?? null,
  }
}

const NO_WINDOW = { from: 0, to: 0 }

/** `cores`: the limit of each runner. */
export async function readRunnersHealth(
  seriesFiles: readonly string[],
  window: HealthWindow,
): Promise<Required<Pick<TrialFacts, 'generator' | 'runners'>>> {
  const runners: GeneratorHealth[] = []
  for (const file of seriesFiles) {
    // Other pods share the node.
    runners.push({ ...(await readGeneratorHealth([file], window)), machineBusy: null })
  }
  return { generator: mergeGenerators(runners), runners }
}

/** More than any runner writes in a second. */
const TAIL_BYTES = 1 << 20

/**
 * The time in Unix ms, by the nodes' clocks, up to which all files have data. Data that a killed runner did not push is
 * missing. Null if a file has no data.
 */
export async function readSeriesEnd(files: readonly string[]): Promise<number | null> {
  let minMs = Number.POSITIVE_INFINITY
  // Sequential, so that hundreds of tails are not in memory at once.
  for (const file of files) {
    const endMs = await readFileEnd(file)
    if (endMs === null) return null
    minMs = Math.min(minMs, endMs)
  }
  return minMs
}

async function readFileEnd(file: string): Promise<number | null> {
  const lines = (await readTail(file)).split('\n')
  // The text after the last line end is not a whole line.
  for (const line of lines.slice(0, -1).reverse()) {
    const endMs = parseEnd(line)
    if (endMs !== null) return endMs
  }
  return null
}

/** The end line has the exact time; points have whole seconds. */
function parseEnd(line: string): number | null {
  try {
    const { type, time } = JSON.parse(line)
    if (type === 'end') return Date.parse(time)
    return typeof time === 'number' ? (time + 1) * 1000 : null
  } catch {
    return null // the tail starts mid-line
  }
}

async function readTail(file: string): Promise<string> {
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
