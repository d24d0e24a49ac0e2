import type { OfferedLoad } from '../../contract/scenario-config.ts'
import type { LoadPlan } from './plan-load.ts'

/** What the scenarios of a load are told of it: no probes, and no end but its own. */
export function loadConfig<Plan extends Pick<LoadPlan, 'seed' | 'target' | 'refuses' | 'mix'>>(
  plan: Plan,
  load: OfferedLoad,
) {
  const seconds = load.stages.reduce((sum, stage) => sum + stage.seconds, 0)
  return { ...plan, rules: [], slow: false, durationSecondsMax: seconds, requestsMax: null, load }
}
