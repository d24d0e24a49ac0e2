import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { RULES, ruleById } from '../../contract/rules.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import type { ChoiceSetName } from '../../simulator/choices/choices.ts'
import type { Mutant } from '../../simulator/mutants/mutants.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { commandLine } from '../command-line.ts'
import { findMutant } from '../find-mutant.ts'
import type { Io } from '../io.ts'
import { loadSlo } from '../load-slo.ts'
import { loadTarget } from '../load-target.ts'
import { projectPath } from '../project-path.ts'
import { matchRules } from './match-rules.ts'

export type SmokeOptions = {
  io: Io
  world: string
  seed: number
  choices: ChoiceSetName
  mutant?: string
  target?: string
  rules: string
  slo?: string
  load: boolean
  slow?: true
  strict?: true
  out?: string
  json?: true
}

/** All that a smoke run was asked for, checked: nothing has been started or written yet. */
export type SmokePlan = {
  job: 'smoke'
  command: string
  rules: readonly string[]
  /** Null where latency is not judged. */
  slo: Slo | null
  /** Whether probes may wait for a quarter of an hour. */
  slow: boolean
  strict: boolean
  json: boolean
  out: string | null
  world: string
  seed: number
  choices: ChoiceSetName
  mutant: Mutant | null
  /** Null: the stub. */
  target: Target | null
}

/** Checks the options. Throws a BreakwaterError (usage) that names the option or the file, and what was expected. */
export async function planSmoke(options: SmokeOptions): Promise<SmokePlan> {
  const { io } = options
  if (options.target !== undefined && options.mutant !== undefined) {
    throw new BreakwaterError('--mutant breaks the stub, and --target names another exchange', {
      hint: 'Leave out one of the two.',
    })
  }
  if (options.slo !== undefined && !options.load) {
    throw new BreakwaterError(
      '--slo names objectives, and --no-load leaves out the reads they are measured on',
      {
        hint: 'Leave out one of the two.',
      },
    )
  }
  loadWorldFixture(options.world)
  const rules = matchRules(options.rules, RULES)
  const needsFeed = rules.some((id) => ruleById(id)?.group === 'ws')
  return {
    job: 'smoke',
    command: commandLine(io.argv),
    rules,
    slo: options.load ? await loadSlo(options.slo ?? projectPath('fixtures/slos/smoke.json'), io.cwd) : null,
    slow: options.slow === true,
    strict: options.strict === true,
    json: options.json === true,
    out: options.out ?? null,
    world: options.world,
    seed: options.seed,
    choices: options.choices,
    mutant: findMutant(options.mutant),
    target: options.target === undefined ? null : await loadTarget(options.target, { io, needsFeed }),
  }
}
