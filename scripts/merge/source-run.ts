import type { TrialFacts } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import type { Slo } from '../../contract/slo.ts'

/** A run folder that is to be merged with others. */
export type SourceRun = {
  /** As the user named it. */
  shown: string
  run: Run & { slo: Slo | null }
  /** Those that ended. */
  trials: readonly TrialFacts[]
}
