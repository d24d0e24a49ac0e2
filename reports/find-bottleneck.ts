import { type Capacity, getAxisUnit } from '../contract/capacity.ts'
import type { Report } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { THRESHOLDS } from './capacity/saturation-signals.ts'
import { figure } from './objective-text.ts'
import type { FoldedSeries } from './series/fold-series.ts'
import { addSums, createServerTimes, createSums, type ServerTimes, type Sums } from './series/server-times.ts'
import { supportedQuantile } from './statistics/quantiles.ts'

/** The bottleneck of a run: of a search its result, otherwise the signals of k6. */
export function findBottleneck(options: {
  run: Pick<Run, 'state' | 'k6'>
  capacity: Capacity | null
  series: Pick<FoldedSeries, 'droppedIterations' | 'iterations' | 'generatorLag'>
  seriesComplete: boolean
  /** In any order; empty unless the run was a search or a held load. */
  loads: readonly TimedTrial[]
}): Report['bottleneck'] {
  const { capacity, loads } = options
  if (capacity !== null) {
    const grown = findPartOfTarget(capacity, loads)
    return {
      by: capacity.limitedBy,
      part: grown?.name ?? null,
      reasons: [ofSearch(capacity), ...(grown === null ? [] : [describePart(grown)])],
    }
  }
  const signs = SIGNS.filter(({ applies }) => applies(options))
  if (signs.length === 0) return { by: null, part: null, reasons: [NO_SIGN] }
  return {
    by: signs.find(({ by }) => by !== null)?.by ?? null,
    part: null,
    reasons: signs.map(({ describe }) => describe(options)),
  }
}

export type TimedTrial = TimedLoad & { trial: number }

/** Only if the target failed a load that the load generator did offer: otherwise its parts limited nothing. */
function findPartOfTarget({ limitedBy, trials }: Capacity, loads: readonly TimedTrial[]): GrownPart | null {
  if (limitedBy === 'generator' || limitedBy === 'interrupted') return null
  if (!trials.some(({ outcome }) => outcome === 'fail')) return null
  const judged = trials.filter(
    ({ phase, outcome }) => phase !== 'warm-up' && (outcome === 'pass' || outcome === 'fail'),
  )
  const numbers = new Set(judged.map(({ trial }) => trial))
  return findGrownPart(loads.filter(({ trial }) => numbers.has(trial)))
}

function describePart({ name, rates, requests, partMs, responseMs, share }: GrownPart): string {
  const [from, to] = rates
  return `The part "${name}" of the target's own time (Server-Timing of ${requests.join(' and ')} traced requests) grew from ${figure(partMs[0])} ms at up to ${figure(from)} iterations/s to ${figure(partMs[1])} ms at ${figure(to)} or more: ${Math.round(share * 100)} % of the growth of the response time, from ${figure(responseMs[0])} to ${figure(responseMs[1])} ms.`
}

type Measured = Parameters<typeof findBottleneck>[0]

type Sign = {
  by: Report['bottleneck']['by']
  applies(measured: Measured): boolean
  describe(measured: Measured): string
}

const NO_SIGN =
  'No bottleneck found: every iteration started in time and k6 finished. The run offered a fixed load and did not search for a limit.'

const SIGNS: readonly Sign[] = [
  {
    by: 'interrupted',
    applies: ({ run }) => run.state === 'interrupted' || run.state === 'running',
    describe: () => 'The run was stopped early: later results are missing.',
  },
  {
    by: 'generator',
    applies: ({ run }) => run.state === 'failed',
    describe: ({ run: { k6 } }) =>
      k6 === null ? 'k6 never ran.' : `k6 exited with ${k6.exitCode ?? 'no exit code'}: ${k6.meaning}.`,
  },
  {
    by: null,
    applies: ({ run, seriesComplete }) => run.state === 'finished' && !seriesComplete,
    describe: () => 'The k6 series is incomplete or damaged: figures cover a part of the run.',
  },
  {
    // Slow responses keep VUs busy, so it may be either side.
    by: null,
    applies: ({ series }) => series.droppedIterations > 0,
    describe: ({ series: { droppedIterations: dropped, iterations } }) =>
      `k6 could not start ${dropped} of ${dropped + iterations} iterations in time because no VU was free. The cause may be slow responses or too few VUs; \`breakwater capacity\` distinguishes them.`,
  },
  {
    by: 'generator',
    applies: ({ series }) => getLagMs(series) >= THRESHOLDS.lagMs,
    describe: ({ series }) =>
      `k6 woke a VU up to ${figure(getLagMs(series))} ms late (p99): the load was late, and latencies include part of the delay.`,
  },
]

/** p99 in ms; 0 if too few samples support it. */
function getLagMs({ generatorLag }: Measured['series']): number {
  const lag = supportedQuantile(generatorLag, 0.99)
  return typeof lag === 'number' ? lag : 0
}

function ofSearch({ limitedBy, statement, trials }: Capacity): string {
  const held = trials.some(({ phase }) => phase === 'stage')
  if (limitedBy !== null && !held) return `${statement.charAt(0).toUpperCase()}${statement.slice(1)}.`
  const said = trials.findLast(({ outcome }) => outcome !== 'pass')
  if (said !== undefined) return `At ${figure(said.rate)} ${getAxisUnit(said.axis)}: ${said.reason}.`
  return trials.length === 0
    ? 'No load was offered.'
    : 'No bottleneck found: every offered load met the objectives.'
}

/** The traced requests of one load of a run; rate in iterations per second. */
export type TimedLoad = { rate: number; times: ServerTimes }

/** A part of the target's time that grew with the load. Mean times in ms: [of the lowest loads, of the highest]. */
type GrownPart = {
  name: string
  /** The highest rate of the lowest loads, and the lowest of the highest. */
  rates: [number, number]
  requests: [number, number]
  partMs: [number, number]
  responseMs: [number, number]
  /** The share of the growth of the response time, at most 1. */
  share: number
}

/** Fewer traced requests say nothing about a mean. */
const REQUESTS_MIN = 30
/** The mean response time at the highest load, relative to the lowest one, that needs an explanation. */
const GROWTH_MIN = 1.5
/** A part that explains less is not what limits the target. */
const SHARE_MIN = 0.5
/** Standard errors between a part at the lowest and at the highest load. */
const ERRORS_MIN = 3
/** A part is within the response, except for rounding. */
const RESPONSE_SHARE_MAX = 1.05
/** By convention the sum of all parts. */
const WHOLE = 'total'

/**
 * Compares the highest loads with the lowest ones, as many of both as have enough traced requests. Returns the part that explains most
 * of the growth of the response time; of several (one contains the other), the one that grew least, because it is the most specific.
 * Returns null without enough evidence.
 */
export function findGrownPart(loads: readonly TimedLoad[]): GrownPart | null {
  const sorted = loads.toSorted((a, b) => a.rate - b.rate)
  const [low, high] = [mergeUntilEnough(sorted), mergeUntilEnough(sorted.toReversed())]
  if (low === null || high === null || low.rate >= high.rate) return null
  const [before, after] = [mean(low.times.timed), mean(high.times.timed)]
  if (!(after >= before * GROWTH_MIN)) return null
  const grown = [...high.times.parts.keys()]
    .filter((name) => name !== WHOLE)
    .map((name) => ({ name, low: perRequest(low.times, name), high: perRequest(high.times, name) }))
    .map((part) => ({ ...part, growthMs: part.high.ms - part.low.ms }))
    .filter(({ high }) => high.ms <= after * RESPONSE_SHARE_MAX)
    .filter(({ growthMs }) => growthMs > (after - before) * SHARE_MIN)
    .filter(({ low, high, growthMs }) => growthMs > ERRORS_MIN * Math.hypot(low.error, high.error))
    .sort((a, b) => a.growthMs - b.growthMs || (a.name < b.name ? -1 : 1))[0]
  if (grown === undefined) return null
  return {
    name: grown.name,
    rates: [low.rate, high.rate],
    requests: [low.times.timed.count, high.times.timed.count],
    partMs: [grown.low.ms, grown.high.ms],
    responseMs: [before, after],
    share: Math.min(1, grown.growthMs / (after - before)),
  }
}

/** Merges the first loads until they have enough requests, and all loads of the last rate. Returns null if all have too few. */
function mergeUntilEnough(loads: readonly TimedLoad[]): TimedLoad | null {
  const merged = createServerTimes()
  let last: number | undefined
  for (const { rate, times } of loads) {
    if (merged.timed.count >= REQUESTS_MIN && rate !== last) break
    last = rate
    addSums(merged.timed, times.timed)
    for (const [name, sums] of times.parts) {
      const part = merged.parts.get(name) ?? createSums()
      merged.parts.set(name, part)
      addSums(part, sums)
    }
  }
  return last === undefined || merged.timed.count < REQUESTS_MIN ? null : { rate: last, times: merged }
}

function mean({ count, sumMs }: Sums): number {
  return sumMs / count
}

/** Mean over all timed requests, with its standard error: a request without the part counts as 0. */
function perRequest({ timed: { count }, parts }: ServerTimes, name: string): { ms: number; error: number } {
  const { sumMs, squares } = parts.get(name) ?? createSums()
  const ms = sumMs / count
  return { ms, error: Math.sqrt(Math.max(0, squares / count - ms ** 2) / count) }
}
