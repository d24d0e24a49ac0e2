import { BreakwaterError, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Axis } from '../../contract/capacity.ts'
import { requestsPerIteration } from '../../contract/mix-time.ts'
import type { Run } from '../../contract/run.ts'
import type { Slo } from '../../contract/slo.ts'
import type { StagesProfile } from '../../contract/stages.ts'
import { samplesNeeded } from '../../reports/statistics/quantiles.ts'
import { SEARCH_DEFAULTS, type SearchPlan } from '../capacity/next-rate.ts'
import {
  computeOpeningSeconds,
  offerSockets,
  planSockets,
  SOCKETS_OPENED_PER_SECOND,
  SOCKETS_WARM_UP_SECONDS,
} from '../capacity/plan-sockets.ts'
import { nextTrial } from '../capacity/search.ts'
import { loadStages } from '../given-files.ts'
import type { Io } from '../io.ts'
import type { LiveOptions } from '../live/with-live-view.ts'
import { announceLoad, findSocketRoom, generatorWarnings } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { type LoadOptions, type LoadPlan, mustHaveRoom, planLoad } from '../load/plan-load.ts'
import { LOAD_SCRIPT } from '../load/run-load.ts'
import { type Trials, withTrials } from '../load/with-trials.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment if k6 or the target is unavailable. */
export function runCapacity(options: CapacityOptions & BaselineOptions & LiveOptions): Promise<ExitCode> {
  return withRun(
    { ...options, plan: () => planCapacity(options), announce, openWorlds: openLoadWorld },
    async ({ plan, worlds, io, openFolder, ...k6 }) => {
      const folder = await openFolder()
      const generator = { ...k6, script: LOAD_SCRIPT }
      const ended = await withTrials({ plan, generator, worlds, folder, io }, (trials) =>
        plan.stages === null ? search(plan, trials, io) : runStages(plan, trials),
      )
      await folder.finish(ended)
      return folder
    },
  )
}

function announce(plan: CapacityPlan): string[] {
  const { goal, stages } = plan
  const upTo = goal.rateMax === null ? '' : ` up to ${goal.rateMax}`
  const precision = `within ${goal.relativeWidth * 100} %`
  if (plan.sockets !== null) {
    const { openedPerSecond } = plan.sockets
    const what = `searching from ${goal.rateStart} sockets${upTo}, ${openedPerSecond} opened per second, ${precision}`
    return announceLoad({ ...plan, arrivals: null }, what)
  }
  const what =
    stages === null
      ? `searching from ${goal.rateStart} iterations per second${upTo}, ${precision}`
      : `the stages ${stages.name}`
  return [...announceLoad(plan, what), ...generatorWarnings(plan).map((line) => `  ${line}`)]
}

async function search(plan: CapacityPlan, trials: Trials, io: Io): Promise<void> {
  const choose = () => nextTrial({ plan: plan.goal, trials: trials.results(), budget: trials.budget() })
  while (!io.interrupted.aborted) {
    if ('done' in choose()) return
    await trials.waitForRecovery()
    // Waiting used up some of the budget.
    const next = choose()
    if ('done' in next) return
    const { phase, rate, warmUpSeconds, seconds, pauseSeconds, why } = next
    await trials.run({
      judged: [{ phase, axis: plan.goal.axis, rate, rateFrom: null, warmUpSeconds, seconds }],
      stages: [{ seconds: warmUpSeconds + seconds, rate }],
      rateFrom: rate,
      why,
      pauseSeconds,
      endsHopeless: true,
      ...(plan.sockets !== null && { sockets: offerSockets(rate, { ...plan, ...plan.sockets }) }),
    })
  }
}

/** Runs one load for all stages, so that each stage starts in the state that the previous one left. */
async function runStages({ stages: profile }: CapacityPlan, trials: Trials): Promise<void> {
  if (profile === null) return
  const stages = stageTrials(profile)
  await trials.run({
    judged: stages.map((stage) => ({ ...stage, warmUpSeconds: 0 })),
    stages: stages.map(({ seconds, rate }) => ({ seconds, rate })),
    rateFrom: stages[0]?.rateFrom ?? stages[0]?.rate ?? 0,
    why: `stages ${profile.name}`,
    pauseSeconds: 0,
    endsHopeless: false,
  })
}

type CapacityOptions = LoadOptions & {
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
}

type CapacityPlan = LoadPlan<'capacity'> & {
  search: NonNullable<Run['search']>
  goal: SearchPlan
  /** Null for a search. */
  stages: StagesProfile | null
  /** Null: clients arrive at a rate. */
  sockets: { openedPerSecond: number } | null
}

const SECONDS_MAX = 300
/** Time for k6 to start, and for clients to finish. */
const STAGES_OVERHEAD_SECONDS = 30

/** Throws a BreakwaterError like planLoad, and usage for contradictory bounds. */
async function planCapacity(options: CapacityOptions): Promise<CapacityPlan> {
  checkBounds(options)
  if (options.axis === 'sockets') return planSocketsSearch(options)
  const { io, from, to } = options
  const found = options.stages === undefined ? null : await loadStages(options.stages, io.cwd)
  const stages = found === null || to === undefined ? found : scaleStages(found, to)
  const secondsMax = computeMaxSeconds(options, stages)
  const plan = await planLoad('capacity', options)
  const trialSeconds = options.trialDuration ?? SEARCH_DEFAULTS.trialSeconds
  const goal: SearchPlan = {
    ...SEARCH_DEFAULTS,
    ...trialDurations(options),
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
  return {
    ...plan,
    durationSecondsMax: secondsMax,
    requestsMax: options.maxRequests ?? null,
    goal,
    stages,
    sockets: null,
    search: {
      relativeWidth,
      trialSeconds,
      finalSeconds,
      rateMax,
      secondsMax,
      requestsMax: options.maxRequests ?? null,
      stages: stages?.name ?? null,
      rateRequired: options.minRate ?? null,
    },
  }
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
async function planSocketsSearch(options: CapacityOptions): Promise<CapacityPlan> {
  const { from, to, openRate = SOCKETS_OPENED_PER_SECOND } = options
  const plan = await planLoad('capacity', { ...options, slo: options.slo ?? 'sockets' })
  const room = findSocketRoom({ vusMax: plan.vusMax, instances: plan.instances })
  const bounds = planSockets({ mix: plan.mix, slo: plan.slo, from, to, room })
  const goal: SearchPlan = {
    ...SEARCH_DEFAULTS,
    ...trialDurations(options),
    ...bounds,
    axis: 'sockets',
    openingSeconds: (count) => computeOpeningSeconds(count, openRate),
    relativeWidth: options.precision ?? SEARCH_DEFAULTS.relativeWidth,
    warmUpSeconds: SOCKETS_WARM_UP_SECONDS,
    samplesMin: 0,
    requestsPerIteration: 1,
  }
  const { relativeWidth, trialSeconds, finalSeconds, rateMax } = goal
  const secondsMax = computeMaxSeconds(options, null)
  const requestsMax = options.maxRequests ?? null
  return {
    ...plan,
    durationSecondsMax: secondsMax,
    requestsMax,
    goal,
    stages: null,
    sockets: { openedPerSecond: openRate },
    search: {
      axis: 'sockets',
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

function checkBounds(options: CapacityOptions): void {
  const { from, to, minRate, stages, precision, trialDuration, axis, openRate } = options
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
    throw new BreakwaterError('--open-rate requires --axis sockets', {
      hint: 'At a rate of arriving clients, the mix decides when sockets open.',
    })
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

function computeMaxSeconds({ maxDuration }: CapacityOptions, stages: StagesProfile | null): number {
  if (stages === null) return maxDuration ?? SECONDS_MAX
  const seconds = stages.stages.reduce((sum, stage) => sum + stage.seconds, STAGES_OVERHEAD_SECONDS)
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

/** `rateFrom` is the start of a ramp; null for a constant rate. */
type StageTrial = { phase: 'stage'; rateFrom: number | null; rate: number; seconds: number }

/** Each stage becomes a trial, judged on its own. */
export function stageTrials({ rateFrom, stages }: StagesProfile): StageTrial[] {
  let before = rateFrom ?? stages[0]?.rate
  return stages.map(({ rate, seconds }) => {
    const ramps = before !== undefined && before !== rate
    const trial: StageTrial = { phase: 'stage', rateFrom: ramps ? (before ?? null) : null, rate, seconds }
    before = rate
    return trial
  })
}

/** Scales all rates so that the highest is `rateMax`. */
export function scaleStages(profile: StagesProfile, rateMax: number): StagesProfile {
  const { rateFrom, stages } = profile
  const factor = rateMax / Math.max(rateFrom ?? 0, ...stages.map(({ rate }) => rate))
  return {
    ...profile,
    ...(rateFrom === undefined ? {} : { rateFrom: rateFrom * factor }),
    stages: stages.map(({ seconds, rate }) => ({ seconds, rate: rate * factor })),
  }
}
