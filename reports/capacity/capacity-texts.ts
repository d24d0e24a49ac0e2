import type {
  Capacity,
  GeneratorHealth,
  Load,
  Scalability,
  TargetHealth,
  TrialOutcome,
  TrialResult,
} from '../../contract/capacity.ts'
import { figure, latencyText, percent } from '../objective-text.ts'

export type LoadRow = {
  rate: string
  result: LoadResult
  /** How many of its trials passed, such as `2 of 3`. */
  passed: string
  /** Figures are of the last trial whose outcome agrees with the result. */
  throughput: string
  p50: string
  p95: string
  p99: string
  errors: string
  why: string
}

export type LoadResult = TrialOutcome | 'undecided'

export const LOAD_COLUMNS: readonly { name: string; key: keyof LoadRow }[] = [
  { name: 'rate', key: 'rate' },
  { name: 'result', key: 'result' },
  { name: 'passed', key: 'passed' },
  { name: 'throughput', key: 'throughput' },
  { name: 'p50', key: 'p50' },
  { name: 'p95', key: 'p95' },
  { name: 'p99', key: 'p99' },
  { name: 'errors', key: 'errors' },
  { name: 'why', key: 'why' },
]

/** By rising rate; for fixed stages, the trials in order. */
export function loadRows({ loads, trials }: Capacity): LoadRow[] {
  const stages = trials.filter(({ phase }) => phase === 'stage')
  const highest = loads.findLast(({ bound }) => bound === 'lower')?.rate ?? 0
  const ofLoads = loads.map((load) => {
    const own = trials.filter(({ trial }) => load.trials.includes(trial))
    return buildRow({
      rate: rateText(load.rate, null),
      result: resultOfLoad(load, own, highest),
      trials: own,
    })
  })
  const ofStages = stages.map((trial) =>
    buildRow({
      rate: rateText(trial.rate, trial.rateFrom),
      result: trial.outcome,
      trials: [trial],
    }),
  )
  return [...ofLoads, ...ofStages]
}

/** Iterations per second; a ramp as `from to to`. */
export function rateText(rate: number, rateFrom: number | null): string {
  return rateFrom === null || rateFrom === rate ? figure(rate) : `${figure(rateFrom)} to ${figure(rate)}`
}

/** A load below a passing one passes if all its trials did, even if they were too short to decide it. */
function resultOfLoad({ rate, bound }: Load, trials: readonly TrialResult[], highest: number): LoadResult {
  const judged = trials.filter(({ outcome }) => outcome !== 'inconclusive')
  const isPassed = judged.length > 0 && judged.every(({ outcome }) => outcome === 'pass')
  return bound === 'undecided' && rate < highest && isPassed ? 'pass' : RESULTS[bound]
}

const RESULTS: Readonly<Record<Load['bound'], LoadResult>> = {
  lower: 'pass',
  upper: 'fail',
  undecided: 'undecided',
  'generator-limited': 'generator-limited',
}

function buildRow(options: { rate: string; result: LoadResult; trials: readonly TrialResult[] }): LoadRow {
  const { rate, result, trials } = options
  const agreeing = trials.filter(({ outcome }) => outcome === result)
  const shown = agreeing.at(-1) ?? trials.at(-1)
  return {
    rate,
    result,
    passed: `${trials.filter(({ outcome }) => outcome === 'pass').length} of ${trials.length}`,
    throughput: shown === undefined ? '' : throughputText(shown),
    p50: quantileText(shown?.p50Ms),
    p95: quantileText(shown?.p95Ms),
    p99: quantileText(shown?.p99Ms),
    errors: shown?.errorRate == null ? '' : percent(shown.errorRate),
    why: whyText(result, shown),
  }
}

/** The load that was served; next to slow readers, the share of the normal sockets. */
export function throughputText({ axis, rate, throughput }: TrialResult): string {
  return axis === 'slow-readers' ? percent(throughput / rate) : figure(throughput)
}

function whyText(result: LoadResult, shown: TrialResult | undefined): string {
  if (result === 'pass') return ''
  return shown?.outcome === 'pass' ? 'passed, but not long enough' : (shown?.reason ?? '')
}

/** Empty if too few samples support it. */
export function quantileText(latencyMs: TrialResult['p50Ms'] | undefined): string {
  return latencyMs === null || latencyMs === undefined ? '' : latencyText(latencyMs)
}

/** Generator figures of a trial; unknown ones are left out. */
export function generatorText(health: GeneratorHealth, generatorLagMs: number | null): string {
  const { cpuCores, cpuCoresMax, machineBusy, throttledShare } = health
  const { openFilesMax, openFilesLimit, portsUsedMax, portsMax } = health
  return [
    cpuCores !== null && `k6 kept ${cores(cpuCores)} of ${cores(cpuCoresMax)} cores busy`,
    machineBusy !== null && `the machine was ${percent(Math.min(1, machineBusy))} busy`,
    throttledShare !== null && `the CPU limit throttled it in ${percent(throttledShare)} of its periods`,
    generatorLagMs !== null && `k6 woke a VU up to ${figure(generatorLagMs)} ms late (p99)`,
    openFilesMax !== null && `${ofLimit(openFilesMax, openFilesLimit)} open files`,
    portsUsedMax !== null && `${ofLimit(portsUsedMax, portsMax)} ports`,
    health.residentMbMax !== null && `${figure(health.residentMbMax)} MB`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ')
}

export function targetText({ cpuCores, eventLoopLagMs, queueMax }: TargetHealth): string {
  return [
    cpuCores !== null && `${cores(cpuCores)} cores busy`,
    eventLoopLagMs !== null && `its event loop up to ${figure(eventLoopLagMs)} ms late (p99)`,
    queueMax !== null && `at most ${figure(queueMax)} requests waiting`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ')
}

export function busiestTrial(trials: readonly TrialResult[]): TrialResult | undefined {
  return trials
    .filter(({ outcome, seconds }) => outcome !== 'inconclusive' && seconds > 0)
    .reduce<TrialResult | undefined>(
      (best, trial) =>
        best === undefined || trial.requestsPerSecond > best.requestsPerSecond ? trial : best,
      undefined,
    )
}

function ofLimit(used: number, limit: number | null): string {
  return limit === null ? String(used) : `${used} of ${limit}`
}

function cores(number: number): string {
  return String(Number(number.toFixed(2)))
}

/** The fit in sentences, or why it failed. Null if the run was not a search. */
export function scalabilityText({ loads, scalability, scalabilityReason }: Capacity): string | null {
  if (scalability !== null) return `${lawText(scalability)} ${peakText(scalability)}`
  return loads.length === 0
    ? null
    : `No fit of the Universal Scalability Law: ${scalabilityReason ?? 'no trial was judged'}.`
}

/** The memory of the target by socket, or why it is not known. Null if sockets were not the load. */
export function memoryText({ memoryPerSocket, memoryReason }: Capacity): string | null {
  if (memoryPerSocket == null) return memoryReason == null ? null : `omitted, ${memoryReason}.`
  const { kind, bytes, standardError, trials, socketsMax } = memoryPerSocket
  const what = kind === 'resident' ? 'resident memory' : 'heap'
  const kilobytes = `${figure(bytes / 1000)} ± ${figure(standardError / 1000)} KB`
  return `${kilobytes} (${what} of the target, fitted to ${trials.length} trials with up to ${figure(socketsMax)} sockets; ± one standard error).`
}

function lawText({ lambda, sigma, kappa, standardErrors, relativeError, points }: Scalability): string {
  const withError = (value: number, error: number) => `${figure(value)} ± ${figure(error)}`
  return [
    `Universal Scalability Law, fitted to ${points.length} trials (mean error ${percent(relativeError)}):`,
    `λ ${withError(lambda, standardErrors.lambda)} requests/s at concurrency 1;`,
    `σ ${withError(sigma, standardErrors.sigma)} (contention);`,
    `κ ${withError(kappa, standardErrors.kappa)} (coherency); ± one standard error.`,
  ].join(' ')
}

/** A peak beyond all measured points is an extrapolation. */
function peakText({ peak, points, kappa, standardErrors }: Scalability): string {
  if (peak === null) return 'Throughput does not fall at any concurrency.'
  const measured = Math.max(...points.map(({ concurrency }) => concurrency))
  const at = `${figure(peak.requestsPerSecond)} requests/s at concurrency ${figure(peak.concurrency)}`
  if (kappa < 2 * standardErrors.kappa)
    return `The fit peaks at ${at}, but this is not significant: κ may be 0.`
  return peak.concurrency > measured
    ? `The fit peaks at ${at}, beyond the measured concurrency (${figure(measured)}).`
    : `Throughput peaks at ${at}.`
}

/** Such as `62 of 300 s; 18000 requests`. */
export function budgetText({
  secondsUsed,
  secondsMax,
  requestsUsed,
  requestsMax,
}: Capacity['budget']): string {
  const requests = requestsMax === null ? `${requestsUsed}` : `${requestsUsed} of ${requestsMax}`
  return `${Math.round(secondsUsed)} of ${Math.round(secondsMax)} s; ${requests} requests`
}
