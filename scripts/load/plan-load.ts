import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName } from '../../contract/choice-set-name.ts'
import type { Mix } from '../../contract/mix.ts'
import { routeGroupsOf } from '../../contract/mix-groups.ts'
import type { Choices } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Objective, Slo } from '../../contract/slo.ts'
import { objectiveText } from '../../reports/objective-text.ts'
import { capacitySlo } from '../../reports/slo/capacity-slo.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { publicPathsOf } from '../../simulator/choices/public-paths.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { commandLine } from '../command-line.ts'
import { findMutant, mutantOrTarget } from '../find-mutant.ts'
import type { Io } from '../io.ts'
import { type K6Out, parseK6Out } from '../k6/k6-outs.ts'
import { loadMix } from '../load-mix.ts'
import { loadSlo } from '../load-slo.ts'
import { loadTarget } from '../load-target.ts'
import { fitMix } from '../smoke/fit-mix.ts'
import { permissionFor, type Refuses } from '../smoke/permission.ts'
import type { SmokePlan } from '../smoke/plan.ts'
import { mustServe } from './must-serve.ts'

/** What `capacity` and `load` have in common. */
export type LoadOptions = {
  io: Io
  world: string
  seed: number
  choices: ChoiceSetName
  mutant?: string
  target?: string
  /** The hosts that the command line confirms. */
  confirm?: readonly string[]
  /** A name of fixtures/mixes, or a file. */
  mix: string
  slo?: string
  maxVus: number
  instances: number
  /** Further outputs of k6, as its `--out` takes them. */
  k6Out?: readonly string[]
  strict?: true
  out?: string
  json?: true
  /** Whether the target has to answer this machine: true where left out. */
  reach?: boolean
}

/** All that a load was asked for, checked: nothing has been started or written yet. */
export type LoadPlan<Job extends string = string> = Omit<SmokePlan, 'job' | 'mix' | 'slo'> & {
  job: Job
  mix: Mix
  slo: Slo
  vusMax: number
  instances: number
  k6Outs: readonly K6Out[]
}

const DEFAULT_SLO = 'capacity'

/**
 * Checks the options. Throws a BreakwaterError: usage for a bad option or file, or for a target that does not allow the load,
 * environment for one that does not answer.
 */
export async function planLoad<Job extends string>(job: Job, options: LoadOptions): Promise<LoadPlan<Job>> {
  const { io } = options
  loadWorldFixture(options.world)
  const mutant = findMutant(options.mutant)
  const mix = await loadMix(options.mix, io.cwd)
  const slo = await loadSlo(options.slo ?? DEFAULT_SLO, io.cwd)
  const { target, refuses } = await planTarget(job, options, mix)
  requireSloOfMix({ slo, mix, choices: target?.profile.choices ?? choicesOfStub(options.choices) })
  if (target !== null && options.reach !== false) await mustServe(target)
  return {
    job,
    command: commandLine(io.argv),
    rules: [],
    slo: capacitySlo(slo),
    slow: false,
    mix,
    mixNotes: [],
    durationSecondsMax: 0,
    requestsMax: null,
    refuses,
    waivers: [],
    strict: options.strict === true,
    minJudged: null,
    sloSkipped: null,
    json: options.json === true,
    out: options.out ?? null,
    world: options.world,
    seed: options.seed,
    choices: options.choices,
    mutant,
    target,
    vusMax: options.maxVus,
    instances: options.instances,
    k6Outs: (options.k6Out ?? []).map((spec) => parseK6Out(spec, io.cwd)),
  }
}

/** What the stub’s profile tells of its paths. */
function choicesOfStub(name: ChoiceSetName) {
  const choices = CHOICE_SETS[name]
  return { ...choices.profile, publicPaths: publicPathsOf(choices) }
}

async function planTarget(
  job: string,
  { target: file, confirm, mutant, io, reach = true }: LoadOptions,
  mix: Mix,
): Promise<{ target: Target | null; refuses: Refuses }> {
  if (file === undefined) {
    if (confirm === undefined) return { target: null, refuses: { writes: null, load: null } }
    throw new BreakwaterError('--confirm names a host of a target, and no --target is given')
  }
  mutantOrTarget({ mutant, target: file })
  let refuses: Refuses = { writes: null, load: null }
  const target = await loadTarget(file, {
    io,
    reach,
    needsFeed: mix.clients.some(({ feed }) => feed !== null),
    check(profile) {
      refuses = permissionFor(profile, confirm)
      if (refuses.load !== null) throw new BreakwaterError(`${job} is a load, and ${refuses.load}`)
    },
  })
  // Nothing is done to a clock under load.
  return { target: mustFit(mix, { ...target, controlToken: null }, { refuses, reach }), refuses }
}

/** A load without some of its clients would be another load, and its capacity that of another mix. */
function mustFit(mix: Mix, target: Target, { refuses, reach }: { refuses: Refuses; reach: boolean }): Target {
  const { leftOut } = fitMix(mix, target, {
    writesRefused: refuses.writes,
    besideProbes: false,
    makesTokens: reach,
  })
  const [first] = leftOut
  if (first === undefined) return target
  throw new BreakwaterError(`mix ${mix.name}: ${first.client} cannot come: ${first.why}`, {
    hint: 'Give the target what that client takes, or name a mix without it: --mix reads takes nothing.',
  })
}

/** Throws a BreakwaterError (usage) where an objective is about what no client of the mix does: it could never be judged. */
export function requireSloOfMix(options: {
  slo: Slo
  mix: Mix
  choices: Pick<Choices, 'positionsPath' | 'balancesPath' | 'publicPaths'>
}): void {
  const { slo, mix, choices } = options
  const groups = routeGroupsOf(mix, choices)
  const hasFeed = mix.clients.some(({ feed }) => feed !== null)
  const problems = slo.objectives.flatMap((objective) => {
    const why = whyNever(objective, { groups, hasFeed })
    return why === undefined ? [] : [`${objectiveText(objective)}: ${why}`]
  })
  if (problems.length === 0) return
  throw new BreakwaterError(
    `objectives ${slo.name}: with mix ${mix.name} they cannot be judged: ${problems.join('; ')}`,
    {
      hint: `Requests of the mix are in the route groups *, ${groups.join(', ')}; name other objectives (--slo), or another mix (--mix).`,
    },
  )
}

function whyNever(
  objective: Objective,
  { groups, hasFeed }: { groups: readonly string[]; hasFeed: boolean },
): string | undefined {
  if ('routeGroup' in objective) {
    const { routeGroup } = objective
    return routeGroup === '*' || groups.includes(routeGroup) ? undefined : 'no client asks for that'
  }
  return 'droppedRateMax' in objective || hasFeed ? undefined : 'no client follows the feed'
}
