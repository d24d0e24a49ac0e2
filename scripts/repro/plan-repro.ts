import { existsSync, readdirSync } from 'node:fs'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName, RunningCase } from '../../contract/scenario-config.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { startStub } from '../../simulator/stub.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { loadFaults } from '../given-files.ts'
import type { Io } from '../io.ts'
import { projectPath } from '../project.ts'
import { buildPlan, findMutant, mutantOrTarget, type Plan } from '../runs/plan.ts'
import { oneTarget, openWorlds, toTarget, type Worlds } from '../runs/worlds.ts'
import { needFeed } from '../smoke/plan.ts'
import { mustAllowAll, mustHaveTarget } from '../target/permission.ts'
import { loadTarget } from '../target/reach-target.ts'
import { loadCase, type NamedCase } from './load-case.ts'

export type ReproOptions = {
  io: Io
  case: string
  seed?: number
  choices?: ChoiceSetName
  mutant?: string
  target?: string
  confirm?: readonly string[]
  includeSlow?: true
  strict?: true
  output?: string
  json?: true
}

/** A validated plan: nothing has been started or written yet. */
export type ReproPlan = Plan & {
  namedCase: NamedCase
  script: string
  repro: RunningCase
}

/** Enough for each case in real time; with `--include-slow`, for waits of 15 minutes. */
const SECONDS_MAX = 300
const SLOW_SECONDS_MAX = 3000

/** Throws a BreakwaterError (usage) that names the problem and what was expected. */
export async function planRepro(options: ReproOptions): Promise<ReproPlan> {
  const { io } = options
  const namedCase = await loadCase(options.case, io.cwd)
  mustFit(options, namedCase)
  await ofCase(namedCase, 'stub.world', () => loadWorldFixture(namedCase.stub.world))
  const { name: _name, stub } = namedCase
  return {
    job: 'repro',
    namedCase: namedCase,
    script: resolveScript(namedCase),
    repro: {
      parameters: namedCase.parameters,
      // A target's clock is unknown, and each probe world has its own.
      pace: options.target === undefined && namedCase.scenario !== undefined ? stub.pace : 'real',
      faults:
        namedCase.faults === undefined
          ? null
          : {
              name: namedCase.faults,
              plan: await ofCase(namedCase, 'faults', () => loadFaults(namedCase.faults ?? '', io.cwd)),
            },
    },
    rules: namedCase.rules,
    slow: options.includeSlow === true,
    durationSecondsMax: options.includeSlow ? SLOW_SECONDS_MAX : SECONDS_MAX,
    ...buildPlan({
      ...options,
      world: stub.world,
      seed: options.seed ?? stub.seed,
      choices: options.choices ?? stub.choices,
    }),
    mutant: options.target === undefined ? await resolveMutant(options, namedCase) : null,
    target:
      options.target === undefined
        ? null
        : await loadTarget(options.target, {
            io,
            needsFeed: needFeed(namedCase.rules),
            check: mustAllowAll('a case', options.confirm),
          }),
  }
}

function mustFit({ target, mutant, choices, confirm }: ReproOptions, namedCase: NamedCase): void {
  mutantOrTarget({ mutant, target })
  if (target !== undefined && choices !== undefined) {
    throw new BreakwaterError('--choices applies only to the stub, not to --target', {
      hint: 'Omit one of them.',
    })
  }
  mustHaveTarget({ confirm, target })
  if (target === undefined && namedCase.target !== undefined) {
    throw new BreakwaterError(
      `${namedCase.name}: was saved from ${namedCase.target.name} (${namedCase.target.baseUrl}), which is not a stub`,
      { hint: 'Name its profile with --target.' },
    )
  }
}

function resolveMutant({ mutant }: ReproOptions, namedCase: NamedCase) {
  if (mutant !== undefined) return findMutant(mutant)
  return ofCase(namedCase, 'stub.mutant', () => findMutant(namedCase.stub.mutant))
}

/** Finds what a case names; errors name the place in the case. */
async function ofCase<Found>(
  { name }: NamedCase,
  path: string,
  find: () => Found | Promise<Found>,
): Promise<Found> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    const { hint, exitCode } = error
    throw new BreakwaterError(`${name}: ${path}: ${error.message}`, {
      ...(hint !== undefined && { hint }),
      exitCode,
      cause: error,
    })
  }
}

/** Falls back to the probes of the case's rules if it has no scenario. */
function resolveScript({ name, scenario }: NamedCase): string {
  if (scenario === undefined) return projectPath('scenarios/smoke.k6.ts')
  const script = projectPath(`scenarios/repro/${scenario}.k6.ts`)
  if (existsSync(script)) return script
  throw unknownName(`${name}: scenario: unknown scenario ${JSON.stringify(scenario)}`, {
    name: scenario,
    names: readdirSync(projectPath('scenarios/repro')).flatMap(
      (file) => /^(.*)\.k6\.ts$/.exec(file)?.[1] ?? [],
    ),
    listed: 'All are in scenarios/repro. Without a scenario, the case runs the probes of its rules.',
  })
}

/** The user's target; otherwise one stub for a case's scenario, or one per probe world. */
export async function openCaseWorlds(plan: ReproPlan, io: Io): Promise<Worlds> {
  if (plan.target !== null || plan.namedCase.scenario === undefined) return openWorlds(plan, io)
  const { world, seed, choices, mutant } = plan
  const { pace, rateLimit } = plan.namedCase.stub
  const stub = await startStub({
    world,
    seed,
    choices,
    mutant: mutant?.name ?? null,
    pace,
    ...(rateLimit === undefined ? {} : { rateLimit }),
  })
  return { ...oneTarget(toTarget(stub)), close: stub.close }
}
