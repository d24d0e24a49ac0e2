import type { Capacity } from '../contract/capacity.ts'
import type { Report } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { THRESHOLDS } from './capacity/saturation-signals.ts'
import { figure } from './objective-text.ts'
import type { FoldedSeries } from './series/fold-series.ts'
import { supportedQuantile } from './statistics/quantiles.ts'

/** What kept a run from more load, or from its end: of a search what it found, else what k6's own signals tell. */
export function whatLimited(options: {
  run: Pick<Run, 'state' | 'k6'>
  capacity: Capacity | null
  series: Pick<FoldedSeries, 'droppedIterations' | 'iterations' | 'generatorLag'>
  seriesComplete: boolean
}): Report['limited'] {
  const { capacity } = options
  if (capacity !== null) return { by: capacity.limitedBy, because: [ofSearch(capacity)] }
  const signs = SIGNS.filter(({ applies }) => applies(options))
  if (signs.length === 0) return { by: null, because: [NO_SIGN] }
  return {
    by: signs.find(({ by }) => by !== null)?.by ?? null,
    because: signs.map(({ tell }) => tell(options)),
  }
}

type Measured = Parameters<typeof whatLimited>[0]

type Sign = {
  by: Report['limited']['by']
  applies(measured: Measured): boolean
  tell(measured: Measured): string
}

const NO_SIGN =
  'Nothing did, as far as k6 tells: every iteration began in time, and k6 came to its end. The run offered a load of its own, and sought no limit.'

const SIGNS: readonly Sign[] = [
  {
    by: 'interrupted',
    applies: ({ run }) => run.state === 'interrupted' || run.state === 'running',
    tell: () => 'The run was stopped before its end: what it had not come to is missing.',
  },
  {
    by: 'generator',
    applies: ({ run }) => run.state === 'failed',
    tell: ({ run: { k6 } }) =>
      k6 === null ? 'k6 never ran.' : `k6 ended with ${k6.exitCode ?? 'no exit code'}: ${k6.meaning}.`,
  },
  {
    by: null,
    applies: ({ run, seriesComplete }) => run.state === 'finished' && !seriesComplete,
    tell: () => 'The series of k6 has no end, or is damaged: figures cover a part of the run.',
  },
  {
    // As slow answers keep VUs busy, it may be either.
    by: null,
    applies: ({ series }) => series.droppedIterations > 0,
    tell: ({ series: { droppedIterations: dropped, iterations } }) =>
      `k6 could not begin ${dropped} of ${dropped + iterations} iterations in time: no VU was free. Slow answers and too few VUs look alike here; \`breakwater capacity\` tells them apart.`,
  },
  {
    by: 'generator',
    applies: ({ series }) => lagOf(series) >= THRESHOLDS.lagMs,
    tell: ({ series }) =>
      `k6 woke a VU up to ${figure(lagOf(series))} ms late (p99): the load came later than it was to, and latencies hold some of that.`,
  },
]

/** The 0.99 quantile, in ms; 0 where too few samples support it. */
function lagOf({ generatorLag }: Measured['series']): number {
  const lag = supportedQuantile(generatorLag, 0.99)
  return typeof lag === 'number' ? lag : 0
}

function ofSearch({ limitedBy, statement, trials }: Capacity): string {
  const held = trials.some(({ phase }) => phase === 'stage')
  if (limitedBy !== null && !held) return `${statement.charAt(0).toUpperCase()}${statement.slice(1)}.`
  const said = trials.findLast(({ outcome }) => outcome !== 'met')
  if (said !== undefined) return `At ${figure(said.rate)} iterations a second: ${said.because}.`
  return trials.length === 0
    ? 'No load was offered.'
    : 'Nothing did: every load that was offered met the objectives.'
}
