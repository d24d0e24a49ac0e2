import type { OfferedLoad, Played, ScenarioConfig } from '../../contract/scenario-config.ts'
import type { SmokePlan } from './plan.ts'
import type { Worlds } from './worlds.ts'

/** Of what a run was asked for, all that its scenarios are told. */
export type ScenarioPlan = Pick<
  SmokePlan,
  'seed' | 'rules' | 'slow' | 'mix' | 'target' | 'durationSecondsMax' | 'requestsMax' | 'refuses'
> & { requestsSpent?: number; repro?: Played; load?: OfferedLoad; checkTarget?: boolean }

/** What the scenarios of a run are told. It holds secrets. */
export function scenarioConfigOf({
  worlds,
  plan,
}: {
  worlds: Worlds['byName']
  plan: ScenarioPlan
}): ScenarioConfig {
  return {
    worlds,
    seed: plan.seed,
    rules: [...plan.rules],
    slow: plan.slow,
    mix: plan.mix,
    given: plan.target !== null,
    durationSecondsMax: plan.durationSecondsMax,
    requestsMax: plan.requestsMax,
    requestsSpent: plan.requestsSpent ?? 0,
    refuses: plan.refuses,
    load: plan.load ?? null,
    checkTarget: plan.checkTarget ?? false,
    repro: plan.repro ?? null,
  }
}
