import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Axis } from '../../contract/capacity.ts'
import { listHistoryRules } from '../../contract/history.ts'
import { listRouteGroups, type Mix, type MixClient } from '../../contract/mix.ts'
import { computeMeanSessionSeconds, computeStepSeconds, meanSeconds } from '../../contract/mix-time.ts'
import type { Choices } from '../../contract/profile.ts'
import type { Run } from '../../contract/run.ts'
import type { ChoiceSetName, OfferedLoad, Target } from '../../contract/scenario-config.ts'
import type { Objective, Slo } from '../../contract/slo.ts'
import { suggestNames } from '../../contract/suggest-names.ts'
import { capacitySlo } from '../../reports/judge-slo.ts'
import { objectiveText } from '../../reports/objective-text.ts'
import { ALL_ROUTES } from '../../reports/series/tally.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { listPublicPaths } from '../../simulator/choices/default-choices.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { loadMix, loadSlo } from '../given-files.ts'
import type { Io } from '../io.ts'
import { type K6Out, parseK6Out } from '../k6/k6-args.ts'
import { buildPlan, mutantOrTarget, type Plan } from '../runs/plan.ts'
import { fitMix } from '../smoke/plan.ts'
import { mustHaveTarget, PERMISSION_HINT, permissionFor, type Refuses } from '../target/permission.ts'
import { loadTarget, mustServe } from '../target/reach-target.ts'
import { loadArrivals, type PlannedArrivals } from './load-arrivals.ts'

export type LoadOptions = {
  io: Io
  world: string
  seed: number
  choices: ChoiceSetName
  mutant?: string
  target?: string
  confirm?: readonly string[]
  mix: string
  /** `even`, `poisson`, or a file with a recorded timeline. */
  arrivals: string
  slo?: string
  maxVus: number
  instances: number
  k6Out?: readonly string[]
  strict?: true
  output?: string
  json?: true
  /** The load that the search varies; default: the rate. */
  axis?: Axis
  /** The target must be reachable from this machine; default: true. */
  reach?: boolean
}

/** A validated load: nothing has been started or written yet. */
export type LoadPlan<Job extends string = string> = Plan & {
  job: Job
  mix: Mix
  arrivals: PlannedArrivals
  slo: Slo
  refuses: Refuses
  vusMax: number
  instances: number
  k6Outs: readonly K6Out[]
}

const DEFAULT_SLO = 'capacity'

/**
 * Throws a BreakwaterError: usage for a bad option or file, or a target that does not allow the load; environment for
 * one that does not respond.
 */
export async function planLoad<Job extends string>(job: Job, options: LoadOptions): Promise<LoadPlan<Job>> {
  const { io } = options
  loadWorldFixture(options.world)
  const mix = await loadMix(options.mix, io.cwd)
  const arrivals = await loadArrivals(options.arrivals, io.cwd)
  const slo = await loadSlo(options.slo ?? DEFAULT_SLO, io.cwd)
  const k6Outs = (options.k6Out ?? []).map((spec) => parseK6Out(spec, io.cwd))
  const { target, refuses } = await planTarget(job, options, mix)
  requireMixMeasuresSlo({ slo, mix, choices: target?.profile.choices ?? getStubChoices(options.choices) })
  if (target !== null && options.reach !== false) await mustServe(target)
  return {
    job,
    // A load that runs elsewhere has no operation log here.
    rules: options.reach === false ? [] : listHistoryRules(mix),
    slo: capacitySlo(slo, options.axis),
    mix,
    arrivals,
    durationSecondsMax: 0,
    refuses,
    ...buildPlan(options),
    target,
    vusMax: options.maxVus,
    instances: options.instances,
    k6Outs,
  }
}

function getStubChoices(name: ChoiceSetName) {
  const choices = CHOICE_SETS[name]
  return { ...choices.profile, publicPaths: listPublicPaths(choices) }
}

async function planTarget(
  job: string,
  { target: file, confirm, mutant, io, reach = true }: LoadOptions,
  mix: Mix,
): Promise<{ target: Target | null; refuses: Refuses }> {
  mustHaveTarget({ confirm, target: file })
  let refuses: Refuses = { writes: null, load: null }
  if (file === undefined) return { target: null, refuses }
  mutantOrTarget({ mutant, target: file })
  const target = await loadTarget(file, {
    io,
    reach,
    needsFeed: mix.clients.some(
      ({ feed, steps }) => feed !== null || steps.some(({ requests }) => requests.includes('feed-cycle')),
    ),
    check(profile) {
      refuses = permissionFor(profile, confirm)
      if (refuses.load !== null)
        throw new BreakwaterError(`${job}: ${refuses.load}`, { hint: PERMISSION_HINT })
    },
  })
  // A load never changes clocks.
  return { target: mustFit(mix, { ...target, controlToken: null }, { refuses, reach }), refuses }
}

/** Leaving out clients would measure another mix. */
function mustFit(mix: Mix, target: Target, { refuses, reach }: { refuses: Refuses; reach: boolean }): Target {
  const { leftOut } = fitMix(mix, target, {
    writesRefused: refuses.writes,
    withProbes: false,
    makesTokens: reach,
  })
  const [first] = leftOut
  if (first === undefined) return target
  throw new BreakwaterError(`mix ${mix.name}: ${first.client} cannot use this target: ${first.why}`, {
    hint: 'Add the credential, or use a mix that needs none, such as --mix reads.',
  })
}

/** Throws a BreakwaterError (usage) for objectives that no client of the mix can ever satisfy or miss. */
export function requireMixMeasuresSlo(options: {
  slo: Slo
  mix: Mix
  choices: Pick<Choices, 'positionsPath' | 'balancesPath' | 'publicPaths'>
}): void {
  const { slo, mix, choices } = options
  const groups = listRouteGroups(mix, choices)
  const hasFeed = mix.clients.some(({ feed }) => feed !== null)
  const problems = slo.objectives.flatMap((objective) => {
    const why = whyNever(objective, { groups, hasFeed })
    return why === undefined ? [] : [`${objectiveText(objective)}: ${why}`]
  })
  if (problems.length === 0) return
  throw new BreakwaterError(
    `objectives ${slo.name}: cannot be judged with mix ${mix.name}: ${problems.join('; ')}`,
    {
      hint: 'Use other objectives (--slo) or another mix (--mix).',
    },
  )
}

function whyNever(
  objective: Objective,
  { groups, hasFeed }: { groups: readonly string[]; hasFeed: boolean },
): string | undefined {
  if ('routeGroup' in objective) {
    const { routeGroup } = objective
    if (routeGroup === '*' || groups.includes(routeGroup)) return undefined
    return `no client requests the route group ${JSON.stringify(routeGroup)}; ${suggestNames(routeGroup, ['*', ...groups])}`
  }
  return 'droppedRateMax' in objective || hasFeed ? undefined : 'no client uses the WebSocket'
}

export type ConstantLoadOptions = LoadOptions & { rate: number; duration: number; warmUp: number }

export type ConstantLoadPlan = LoadPlan<'load'> & { constantLoad: NonNullable<Run['load']> }

/** For k6 to start, and for clients still waiting at the end. */
const EXTRA_SECONDS = 60

export async function planConstantLoad(options: ConstantLoadOptions): Promise<ConstantLoadPlan> {
  const { rate, duration, warmUp } = options
  const plan = await planLoad('load', options)
  mustHaveRoom({ mix: plan.mix, rate, vusLimit: plan.vusMax })
  return {
    ...plan,
    durationSecondsMax: warmUp + duration + EXTRA_SECONDS,
    constantLoad: { rate, warmUpSeconds: warmUp, seconds: duration },
  }
}

/** Scenario configuration: no probes, and no end except the load's own. */
export function loadConfig<Plan extends Pick<LoadPlan, 'seed' | 'target' | 'refuses' | 'mix'>>(
  plan: Plan,
  load: OfferedLoad,
) {
  const seconds = load.stages.reduce((sum, stage) => sum + stage.seconds, 0)
  return { ...plan, rules: [], slow: false, durationSecondsMax: seconds, requestsMax: null, load }
}

const LATENCY_MS_MAX = 1000
/** Objectives on lower percentiles do not limit most responses. */
const QUANTILE_OF_ALL = 0.9
/** Responses that take this multiple of the slowest objective still find a VU. */
const LATENCY_ROOM = 1.5
const SIGN_IN_SECONDS = 1
const VUS_MIN = 10

/**
 * VUs that a load needs if the target meets its objectives: Little's law (rate × client duration) plus three standard
 * deviations. Then clients are dropped only if the target is too slow. Long-lived clients count twice: those present at
 * the start, and new arrivals.
 */
export function vusFor(options: { mix: Mix; slo: Slo; rate: number; vusLimit: number }): number {
  const { mix, slo, rate, vusLimit } = options
  const all = mix.clients.reduce((sum, { arrivalRate }) => sum + arrivalRate, 0)
  const responseSeconds = (LATENCY_ROOM * slowestAllowedMs(slo)) / 1000
  const vus = mix.clients.reduce((sum, client) => {
    const arrivals = (rate * client.arrivalRate) / all
    const mean = arrivals * estimateSeconds(client, responseSeconds)
    return sum + Math.ceil(arrivals * meanSeconds(client.sessionDuration) + mean + 3 * Math.sqrt(mean)) + 1
  }, 0)
  return Math.max(mix.clients.length, Math.min(vusLimit, Math.max(VUS_MIN, vus)))
}

const ROUNDED_DOWN = new Intl.NumberFormat('en', {
  maximumSignificantDigits: 2,
  roundingMode: 'floor',
  useGrouping: false,
})

/** Throws a BreakwaterError (usage) if more long-lived clients are present at this rate than there may be VUs. */
export function mustHaveRoom(options: { mix: Mix; rate: number; vusLimit: number }): void {
  const { mix, rate, vusLimit } = options
  const vusOfOne = 2 * computeMeanSessionSeconds(mix)
  const rateMax = vusLimit / vusOfOne
  if (rate <= rateMax) return
  throw new BreakwaterError(
    `mix ${mix.name}: at ${rate} iterations/s about ${Math.round((rate * vusOfOne) / 2)} clients are present at a time, but --max-vus ${vusLimit} allows ${Math.floor(vusLimit / 2)}`,
    {
      hint: `Start with at most ${ROUNDED_DOWN.format(rateMax)}/s, or allow more VUs: each takes about 0.5 MB.`,
    },
  )
}

function estimateSeconds(client: MixClient, responseSeconds: number): number {
  const signInSeconds = client.credential === 'session' ? SIGN_IN_SECONDS : 0
  return meanSeconds(client.sessionDuration) + computeStepSeconds(client) + responseSeconds + signInSeconds
}

/** Ignores objectives on single routes or medians: clients also wait for the other requests. */
function slowestAllowedMs({ objectives }: Slo): number {
  const latencies = objectives.filter((objective) => 'latencyMsMax' in objective)
  const isOfAll = latencies.some(
    ({ routeGroup, quantile }) => routeGroup === ALL_ROUTES && quantile >= QUANTILE_OF_ALL,
  )
  return Math.max(...latencies.map(({ latencyMsMax }) => latencyMsMax), isOfAll ? 0 : LATENCY_MS_MAX)
}
