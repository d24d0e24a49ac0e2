/** `breakwater capacity`: the highest rate that meets the objectives, found by trials, or a fixed profile of stages. */
import { BreakwaterError, type ExitCode } from '../../contract/breakwater-error.ts'
import { requestsPerIteration } from '../../contract/mix-time.ts'
import type { Run } from '../../contract/run.ts'
import type { Slo } from '../../contract/slo.ts'
import type { StagesProfile } from '../../contract/stages.ts'
import { samplesNeeded } from '../../reports/statistics/quantiles.ts'
import { SEARCH_DEFAULTS, type SearchPlan } from '../capacity/next-rate.ts'
import { nextTrial } from '../capacity/search.ts'
import { loadStages } from '../given-files.ts'
import type { Io } from '../io.ts'
import { announceLoad, generatorWarnings } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { type LoadOptions, type LoadPlan, mustHaveRoom, planLoad } from '../load/plan-load.ts'
import { LOAD_SCRIPT } from '../load/run-load.ts'
import { type Trials, withTrials } from '../load/with-trials.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment where k6 or the target is not to be had. */
export function runCapacity(options: CapacityOptions & BaselineOptions): Promise<ExitCode> {
  return withRun(
    { ...options, plan: () => planCapacity(options), announce, openWorlds: openLoadWorld },
    async ({ plan, worlds, io, openFolder, ...k6 }) => {
      const folder = await openFolder()
      const generator = { ...k6, script: LOAD_SCRIPT }
      const ended = await withTrials({ plan, generator, worlds, folder, io }, (trials) =>
        plan.stages === null ? search(plan, trials, io) : offerStages(plan, trials),
      )
      await folder.finish(ended)
      return folder
    },
  )
}

function announce(plan: CapacityPlan): string[] {
  const { goal, stages } = plan
  const upTo = goal.rateMax === null ? '' : ` up to ${goal.rateMax}`
  const what =
    stages === null
      ? `searching from ${goal.rateStart} iterations a second on${upTo}, within ${goal.relativeWidth * 100} %`
      : `the stages ${stages.name}`
  return [...announceLoad(plan, what), ...generatorWarnings(plan).map((line) => `  ${line}`)]
}

async function search(plan: CapacityPlan, trials: Trials, io: Io): Promise<void> {
  const choose = () => nextTrial({ plan: plan.goal, trials: trials.results(), budget: trials.budget() })
  while (!io.interrupted.aborted) {
    if ('done' in choose()) return
    await trials.waitForRecovery()
    // Once more, as that took of the budget.
    const next = choose()
    if ('done' in next) return
    const { phase, rate, warmUpSeconds, seconds, pauseSeconds, why } = next
    await trials.run({
      judged: [{ phase, rate, rateFrom: null, warmUpSeconds, seconds }],
      stages: [{ seconds: warmUpSeconds + seconds, rate }],
      rateFrom: rate,
      why,
      pauseSeconds,
      endsHopeless: true,
    })
  }
}

/** One load for all stages: whatever one of them leaves behind is there in the next. */
async function offerStages({ stages: profile }: CapacityPlan, trials: Trials): Promise<void> {
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
  trialSeconds?: number
  maxDuration?: number
  maxRequests?: number
  require?: number
}

type CapacityPlan = LoadPlan<'capacity'> & {
  search: NonNullable<Run['search']>
  /** How the search goes about it. */
  goal: SearchPlan
  /** A fixed profile in place of a search; null: a search. */
  stages: StagesProfile | null
}

const SECONDS_MAX = 300
/** For k6 to start, and for clients that wait at the end. */
const BESIDE_STAGES_SECONDS = 30

/** Checks the options. Throws a BreakwaterError as planLoad does; usage for bounds that contradict each other. */
async function planCapacity(options: CapacityOptions): Promise<CapacityPlan> {
  checkBounds(options)
  const { io, from, to } = options
  const found = options.stages === undefined ? null : await loadStages(options.stages, io.cwd)
  const stages = found === null || to === undefined ? found : scaleStages(found, to)
  const secondsMax = durationOf(options, stages)
  const plan = await planLoad('capacity', options)
  const trialSeconds = options.trialSeconds ?? SEARCH_DEFAULTS.trialSeconds
  const goal: SearchPlan = {
    ...SEARCH_DEFAULTS,
    ...(options.trialSeconds === undefined
      ? {}
      : {
          trialSeconds,
          finalSeconds: 4 * trialSeconds,
          confirmationSeconds: 4 * trialSeconds,
          shortSeconds: Math.min(SEARCH_DEFAULTS.shortSeconds, trialSeconds),
        }),
    ...(from === undefined ? {} : { rateStart: from, rateMin: from }),
    relativeWidth: options.precision ?? SEARCH_DEFAULTS.relativeWidth,
    rateMax: to ?? null,
    rateStart: Math.min(from ?? SEARCH_DEFAULTS.rateStart, to ?? Number.POSITIVE_INFINITY),
    samplesMin: samplesMin(plan.slo),
    requestsPerIteration: requestsPerIteration(plan.mix),
  }
  mustHaveRoom({
    mix: plan.mix,
    rate: stages === null ? goal.rateStart : highestOf(stages),
    vusLimit: plan.vusMax,
  })
  const { relativeWidth, finalSeconds, rateMax } = goal
  return {
    ...plan,
    durationSecondsMax: secondsMax,
    requestsMax: options.maxRequests ?? null,
    goal,
    stages,
    search: {
      relativeWidth,
      trialSeconds,
      finalSeconds,
      rateMax,
      secondsMax,
      requestsMax: options.maxRequests ?? null,
      stages: stages?.name ?? null,
      rateRequired: options.require ?? null,
    },
  }
}

function checkBounds({ from, to, require, stages, precision, trialSeconds }: CapacityOptions): void {
  if (from !== undefined && to !== undefined && from > to) {
    throw new BreakwaterError(`--from ${from} is above --to ${to}`, {
      hint: 'The search goes from the lowest rate to the highest.',
    })
  }
  if (require !== undefined && to !== undefined && require > to) {
    throw new BreakwaterError(`--require ${require} is above --to ${to}, the highest rate that is tried`, {
      hint: 'A rate that is never tried is never found.',
    })
  }
  if (stages === undefined) return
  for (const [option, value] of Object.entries({
    '--from': from,
    '--precision': precision,
    '--trial-seconds': trialSeconds,
  })) {
    if (value === undefined) continue
    throw new BreakwaterError(`${option} is of a search, and --stages offers a fixed profile`, {
      hint: 'Leave out one of the two; --to scales a profile to its highest rate.',
    })
  }
}

function durationOf({ maxDuration }: CapacityOptions, stages: StagesProfile | null): number {
  if (stages === null) return maxDuration ?? SECONDS_MAX
  const seconds = stages.stages.reduce((sum, stage) => sum + stage.seconds, BESIDE_STAGES_SECONDS)
  if (maxDuration === undefined || maxDuration >= seconds)
    return maxDuration ?? Math.max(SECONDS_MAX, seconds)
  throw new BreakwaterError(
    `--max-duration ${maxDuration}: the stages of ${stages.name} take ${seconds} s, start and end included`,
    { hint: 'Allow that much, or name a shorter profile with --stages.' },
  )
}

function highestOf({ rateFrom, stages }: StagesProfile): number {
  return Math.max(rateFrom ?? 0, ...stages.map(({ rate }) => rate))
}

/** Of requests, so that the quantiles of all objectives can be judged. */
function samplesMin({ objectives }: Slo): number {
  return Math.max(
    ...objectives.map((objective) =>
      'latencyMsMax' in objective ? samplesNeeded(objective.quantile) : SEARCH_DEFAULTS.samplesMin,
    ),
  )
}

/** A stage as a trial: of one that ramps, `rateFrom` is where it begins; of one that holds a rate, null. */
type StageTrial = { phase: 'stage'; rateFrom: number | null; rate: number; seconds: number }

/** The stages, each to be judged by itself. */
export function stageTrials({ rateFrom, stages }: StagesProfile): StageTrial[] {
  let before = rateFrom ?? stages[0]?.rate
  return stages.map(({ rate, seconds }) => {
    const ramps = before !== undefined && before !== rate
    const trial: StageTrial = { phase: 'stage', rateFrom: ramps ? (before ?? null) : null, rate, seconds }
    before = rate
    return trial
  })
}

/** The same profile with its highest rate at `rateMax`, and all others in proportion. */
export function scaleStages(profile: StagesProfile, rateMax: number): StagesProfile {
  const { rateFrom, stages } = profile
  const factor = rateMax / Math.max(rateFrom ?? 0, ...stages.map(({ rate }) => rate))
  return {
    ...profile,
    ...(rateFrom === undefined ? {} : { rateFrom: rateFrom * factor }),
    stages: stages.map(({ seconds, rate }) => ({ seconds, rate: rate * factor })),
  }
}
