import type { Capacity, Load, TrialOutcome, TrialResult } from '../../contract/capacity.ts'
import { figure, latencyText, percent } from '../objective-text.ts'

/** A load that was tried, as a table shows it. */
export type LoadRow = {
  rate: string
  standing: Standing
  /** How many of its trials met the objectives: `2 of 3`. */
  met: string
  /** Figures are of the last trial that came out as the load stands. */
  throughput: string
  p50: string
  p95: string
  p99: string
  errors: string
  why: string
}

/** met: tried for less time than a load needs to be decided, and a higher one meets the objectives. */
export type Standing = 'meets' | 'met' | 'misses' | 'undecided' | 'generator-limited' | 'unjudged'

export const LOAD_COLUMNS: readonly { name: string; key: keyof LoadRow }[] = [
  { name: 'rate', key: 'rate' },
  { name: 'standing', key: 'standing' },
  { name: 'met', key: 'met' },
  { name: 'throughput', key: 'throughput' },
  { name: 'p50', key: 'p50' },
  { name: 'p95', key: 'p95' },
  { name: 'p99', key: 'p99' },
  { name: 'errors', key: 'errors' },
  { name: 'why', key: 'why' },
]

/** The loads by rising rate; of a fixed profile its trials, in their order. */
export function loadRows({ loads, trials }: Capacity): LoadRow[] {
  const stages = trials.filter(({ phase }) => phase === 'stage')
  const highest = loads.findLast(({ standing }) => standing === 'lower')?.rate ?? 0
  const ofLoads = loads.map((load) => {
    const own = trials.filter(({ trial }) => load.trials.includes(trial))
    return rowOf({ rate: rateText(load.rate, null), standing: standingOf(load, own, highest), trials: own })
  })
  const ofStages = stages.map((trial) =>
    rowOf({
      rate: rateText(trial.rate, trial.rateFrom),
      standing: STANDING_OF_TRIAL[trial.outcome],
      trials: [trial],
    }),
  )
  return [...ofLoads, ...ofStages]
}

/** Iterations a second, of a stage that ramps `from to to`. */
export function rateText(rate: number, rateFrom: number | null): string {
  return rateFrom === null || rateFrom === rate ? figure(rate) : `${figure(rateFrom)} to ${figure(rate)}`
}

export const STANDING_OF_TRIAL: Readonly<Record<TrialOutcome, Standing>> = {
  met: 'meets',
  missed: 'misses',
  generator: 'generator-limited',
  unjudged: 'unjudged',
}

function standingOf({ rate, standing }: Load, trials: readonly TrialResult[], highest: number): Standing {
  const judged = trials.filter(({ outcome }) => outcome !== 'unjudged')
  const isPassed = judged.length > 0 && judged.every(({ outcome }) => outcome === 'met')
  return standing === 'undecided' && rate < highest && isPassed ? 'met' : STANDING_OF_LOAD[standing]
}

const STANDING_OF_LOAD: Readonly<Record<Load['standing'], Standing>> = {
  lower: 'meets',
  upper: 'misses',
  undecided: 'undecided',
  generator: 'generator-limited',
}

function rowOf(options: { rate: string; standing: Standing; trials: readonly TrialResult[] }): LoadRow {
  const { rate, standing, trials } = options
  const wanted = standing === 'met' ? 'meets' : standing
  const agreeing = trials.filter(({ outcome }) => STANDING_OF_TRIAL[outcome] === wanted)
  const shown = agreeing.at(-1) ?? trials.at(-1)
  return {
    rate,
    standing,
    met: `${trials.filter(({ outcome }) => outcome === 'met').length} of ${trials.length}`,
    throughput: shown === undefined ? '' : figure(shown.throughput),
    p50: quantileText(shown?.p50Ms),
    p95: quantileText(shown?.p95Ms),
    p99: quantileText(shown?.p99Ms),
    errors: shown?.errorRate == null ? '' : percent(shown.errorRate),
    why: whyText(standing, shown),
  }
}

function whyText(standing: Standing, shown: TrialResult | undefined): string {
  if (standing === 'meets' || standing === 'met') return ''
  return shown?.outcome === 'met' ? 'met, but not for long enough to count' : (shown?.because ?? '')
}

/** Nothing where too few samples support it: the column says what it is. */
export function quantileText(latencyMs: TrialResult['p50Ms'] | undefined): string {
  return latencyMs === null || latencyMs === undefined ? '' : latencyText(latencyMs)
}
