import { type Capacity, getAxisUnit } from '../contract/capacity.ts'
import type { Report } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { THRESHOLDS } from './capacity/saturation-signals.ts'
import { findGrownPart, type GrownPart, type TimedLoad } from './find-grown-part.ts'
import { figure } from './objective-text.ts'
import type { FoldedSeries } from './series/fold-series.ts'
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
