import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Axis } from '../../contract/capacity.ts'
import { requestsPerIteration } from '../../contract/mix-time.ts'
import type { Run } from '../../contract/run.ts'
import { UNMEASURED_REASONS } from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
import type { StagesProfile } from '../../contract/stages.ts'
import { samplesNeeded } from '../../reports/statistics/quantiles.ts'
import { loadStages } from '../given-files.ts'
import { findSocketRoom, UNKNOWN_LIMITS } from '../load/announce-load.ts'
import { type LoadOptions, type LoadPlan, mustHaveRoom, planLoad } from '../load/plan-load.ts'
import { SEARCH_DEFAULTS, type SearchPlan } from './next-rate.ts'
import {
  computeLoadPerSocket,
  computeOpeningSeconds,
  computeStormSeconds,
  countNormalSockets,
  planSockets,
  SOCKETS_OPENED_PER_SECOND,
  SOCKETS_WARM_UP_SECONDS,
} from './plan-sockets.ts'
import { requireFirstTrial } from './search.ts'
import { scaleStages } from './stages.ts'

export type CapacityOptions = LoadOptions & {
  stages?: string
  from?: number
  to?: number
  precision?: number
  trialDuration?: number
  maxDuration?: number
  maxRequests?: number
  minRate?: number
  axis: Axis
  /** Sockets per second. */
  openRate?: number
  /** Seconds. */
  recoverWithin?: number
  /** Seconds that a trial takes beyond its load; default: those of k6 on this machine. */
  overhead?: number
}

export type CapacityPlan = LoadPlan<'capacity'> & {
  search: NonNullable<Run['search']>
  goal: SearchPlan
  /** Null for a search. */
  stages: StagesProfile | null
  /** Null: clients arrive at a rate. */
  sockets: {
    openedPerSecond: number
    recoverWithinSeconds?: number
    roomsPerSocket?: number
    normalSockets?: number
  } | null
}

const SECONDS_MAX = 300
/** Time for k6 to start, and for clients to finish. */
const STAGES_OVERHEAD_SECONDS = 30

/** Throws a BreakwaterError like planLoad, and usage for contradictory bounds. */
export async function planCapacity(options: CapacityOptions): Promise<CapacityPlan> {
  checkBounds(options)
  if (options.axis !== 'rate') return planSocketsSearch(options, options.axis)
  const { io, from, to } = options
  const found = options.stages === undefined ? null : await loadStages(options.stages, io.cwd)
  const stages = found === null || to === undefined ? found : scaleStages(found, to)
  const secondsMax = computeMaxSeconds(options, stages)
  const plan = await planLoad('capacity', options)
  const trialSeconds = options.trialDuration ?? SEARCH_DEFAULTS.trialSeconds
  const goal: SearchPlan = {
    ...SEARCH_DEFAULTS,
    ...trialDurations(options),
    ...trialOverhead(options),
    ...(from === undefined ? {} : { rateStart: from, rateMin: from }),
    relativeWidth: options.precision ?? SEARCH_DEFAULTS.relativeWidth,
    rateMax: to ?? null,
    rateStart: Math.min(from ?? SEARCH_DEFAULTS.rateStart, to ?? Number.POSITIVE_INFINITY),
    samplesMin: samplesMin(plan.slo),
    requestsPerIteration: requestsPerIteration(plan.mix),
  }
  mustHaveRoom({
    mix: plan.mix,
    rate: stages === null ? goal.rateStart : highestRate(stages),
    vusLimit: plan.vusMax,
  })
  const { relativeWidth, finalSeconds, rateMax } = goal
  const requestsMax = options.maxRequests ?? null
  if (stages === null) requireFirstTrial(goal, { secondsMax, requestsMax })
  return {
    ...plan,
    durationSecondsMax: secondsMax,
    requestsMax,
    goal,
    stages,
    sockets: null,
    search: {
      relativeWidth,
      trialSeconds,
      finalSeconds,
      rateMax,
      secondsMax,
      requestsMax,
      stages: stages?.name ?? null,
      rateRequired: options.minRate ?? null,
    },
  }
}

function trialOverhead({ overhead }: CapacityOptions): Partial<SearchPlan> {
  return overhead === undefined ? {} : { overheadSeconds: overhead }
}

function trialDurations({ trialDuration }: CapacityOptions): Partial<SearchPlan> {
  if (trialDuration === undefined) return {}
  return {
    trialSeconds: trialDuration,
    finalSeconds: 4 * trialDuration,
    confirmationSeconds: 4 * trialDuration,
    shortSeconds: Math.min(SEARCH_DEFAULTS.shortSeconds, trialDuration),
  }
}

/** Throws a BreakwaterError (usage) if the sockets do not fit this machine, the mix or the objectives. */
async function planSocketsSearch(
  options: CapacityOptions,
  axis: Exclude<Axis, 'rate'>,
): Promise<CapacityPlan> {
  const { from, to, openRate = SOCKETS_OPENED_PER_SECOND, recoverWithin } = options
  const plan = await planLoad('capacity', { ...options, slo: options.slo ?? axis })
  if (recoverWithin !== undefined) plan.slo = recoverySlo(recoverWithin)
  mustMeasureDelay(plan, axis)
  const limits = options.reach === false ? UNKNOWN_LIMITS : undefined
  const room = findSocketRoom({ vusMax: plan.vusMax, instances: plan.instances }, limits)
  const bounds = planSockets({ axis, mix: plan.mix, slo: plan.slo, from, to, room })
  const perSocket = computeLoadPerSocket(axis, plan.mix)
  const normalSockets = countNormalSockets(axis, plan.slo)
  const goal: SearchPlan = {
    ...SEARCH_DEFAULTS,
    ...(recoverWithin === undefined ? trialDurations(options) : stormDurations(recoverWithin)),
    ...trialOverhead(options),
    ...bounds,
    axis,
    openingSeconds: (load) => computeOpeningSeconds(Math.ceil(load / perSocket) + normalSockets, openRate),
    relativeWidth: options.precision ?? SEARCH_DEFAULTS.relativeWidth,
    warmUpSeconds: SOCKETS_WARM_UP_SECONDS,
    samplesMin: 0,
    requestsPerIteration: 1,
  }
  const { relativeWidth, trialSeconds, finalSeconds, rateMax } = goal
  const secondsMax = computeMaxSeconds(options, null)
  const requestsMax = options.maxRequests ?? null
  requireFirstTrial(goal, { secondsMax, requestsMax })
  return {
    ...plan,
    durationSecondsMax: secondsMax,
    requestsMax,
    goal,
    stages: null,
    sockets: {
      openedPerSecond: openRate,
      ...(axis === 'slow-readers' && { normalSockets }),
      ...(axis === 'subscriptions' && { roomsPerSocket: perSocket }),
      ...(recoverWithin !== undefined && { recoverWithinSeconds: recoverWithin }),
    },
    search: {
      axis,
      relativeWidth,
      trialSeconds,
      finalSeconds,
      rateMax,
      secondsMax,
      requestsMax,
      stages: null,
      rateRequired: options.minRate ?? null,
    },
  }
}

const RECOVERED_SHARE = 0.99

function recoverySlo(recoverWithin: number): Slo {
  const objectives = [{ quantile: RECOVERED_SHARE, recoverMsMax: recoverWithin * 1000 }]
  return { name: `recover within ${recoverWithin} s`, objectives }
}

/** A storm cannot be longer or shorter: one decides a number of sockets. */
function stormDurations(recoverWithin: number): Partial<SearchPlan> {
  const seconds = computeStormSeconds(recoverWithin)
  return {
    isStorm: true,
    trialSeconds: seconds,
    finalSeconds: seconds,
    confirmationSeconds: seconds,
    shortSeconds: seconds,
  }
}

/**
 * Only late events show that a target cannot deliver more. Throws a BreakwaterError (usage) if no objective is about them, or if an
 * objective is and events bear no time.
 */
function mustMeasureDelay({ slo, target }: Pick<LoadPlan, 'slo' | 'target'>, axis: Axis): void {
  if (!slo.objectives.some((objective) => 'feedDelayMsMax' in objective)) {
    if (axis !== 'events') return
    throw new BreakwaterError(`--axis events: the objectives ${slo.name} have no limit of the feed delay`, {
      hint: 'Use --slo events, or add an objective with feedDelayMsMax.',
    })
  }
  if (target?.profile.choices.eventTime.path === null) {
    throw new BreakwaterError(`--axis ${axis}: ${UNMEASURED_REASONS['no-time-field']}`, {
      hint: `Set choices.eventTime to the path and the format of the time in events${axis === 'events' ? '' : ', or use --slo with no limit of the feed delay'}.`,
    })
  }
}

function checkBounds(options: CapacityOptions): void {
  const { from, to, minRate, stages, precision, trialDuration, axis, openRate, recoverWithin, slo } = options
  if (from !== undefined && to !== undefined && from > to) {
    throw new BreakwaterError(`--from ${from} is above --to ${to}`, {
      hint: 'Set --from to at most --to.',
    })
  }
  if (minRate !== undefined && to !== undefined && minRate > to) {
    throw new BreakwaterError(`--min-rate ${minRate} is above --to ${to}, the highest rate of the search`, {
      hint: 'The search cannot confirm a rate that it never tries.',
    })
  }
  if (axis === 'rate' && openRate !== undefined) {
    throw new BreakwaterError('--open-rate requires an --axis other than rate', {
      hint: 'At a rate of arriving clients, the mix decides when sockets open.',
    })
  }
  if (recoverWithin !== undefined) {
    if (axis !== 'sockets') {
      throw new BreakwaterError('--recover-within requires --axis sockets', {
        hint: 'It cuts all open sockets at once.',
      })
    }
    for (const [option, value] of Object.entries({ '--slo': slo, '--trial-duration': trialDuration })) {
      if (value === undefined) continue
      throw new BreakwaterError(`${option} cannot be used with --recover-within`, {
        hint: 'The time to recover is the objective, and the length of each trial.',
      })
    }
  }
  if (stages === undefined) return
  if (axis !== 'rate') {
    throw new BreakwaterError(`--axis ${axis} cannot be used with --stages`, {
      hint: 'Stages are rates of arriving clients. Leave out one of the two options.',
    })
  }
  for (const [option, value] of Object.entries({
    '--from': from,
    '--precision': precision,
    '--trial-duration': trialDuration,
  })) {
    if (value === undefined) continue
    throw new BreakwaterError(`${option} cannot be used with --stages`, {
      hint: 'It applies to a search. Use --to to scale the stages.',
    })
  }
}

function computeMaxSeconds(
  { maxDuration, overhead = 0 }: CapacityOptions,
  stages: StagesProfile | null,
): number {
  if (stages === null) return maxDuration ?? SECONDS_MAX
  const seconds = stages.stages.reduce(
    (sum, stage) => sum + stage.seconds,
    STAGES_OVERHEAD_SECONDS + overhead,
  )
  if (maxDuration === undefined || maxDuration >= seconds)
    return maxDuration ?? Math.max(SECONDS_MAX, seconds)
  throw new BreakwaterError(
    `--max-duration ${maxDuration}s: the stages of ${stages.name} take ${seconds} s, including start and end`,
    { hint: 'Raise --max-duration, or choose shorter stages with --stages.' },
  )
}

function highestRate({ rateFrom, stages }: StagesProfile): number {
  return Math.max(rateFrom ?? 0, ...stages.map(({ rate }) => rate))
}

/** The number of requests that the percentiles of all objectives need. */
function samplesMin({ objectives }: Slo): number {
  return Math.max(
    ...objectives.map((objective) =>
      'latencyMsMax' in objective ? samplesNeeded(objective.quantile) : SEARCH_DEFAULTS.samplesMin,
    ),
  )
}
