import type { TrialResult } from '../../contract/capacity.ts'
import type { HeldLoadPlan } from '../load/plan-held-load.ts'
import { openRunFolder, type RunFolder } from '../run-folder.ts'
import { type TrialsParts, withTrials } from './with-trials.ts'

export type HeldLoad = {
  folder: RunFolder
  ended: 'finished' | 'interrupted' | 'failed'
  /** Null: it never began. */
  result: TrialResult | null
}

/**
 * Holds one rate and keeps what was measured in a run folder; renders nothing, and prints nothing but to stderr. May be called
 * as often as wanted, each time with another `out`.
 */
export async function holdLoad(
  plan: HeldLoadPlan,
  parts: Omit<TrialsParts, 'plan' | 'folder'>,
): Promise<HeldLoad> {
  const { io, worlds, generator } = parts
  const { rate, warmUpSeconds, seconds } = plan.heldLoad
  const folder = await openRunFolder(plan, {
    io,
    profile: worlds.profile,
    k6Version: generator.version,
    now: new Date(),
  })
  let result: TrialResult | null = null
  const run = await withTrials({ ...parts, plan, folder }, async (trials) => {
    await trials.run({
      judged: [{ phase: 'stage', rate, rateFrom: null, warmUpSeconds, seconds }],
      stages: [{ seconds: warmUpSeconds + seconds, rate }],
      rateFrom: rate,
      why: 'held',
      pauseSeconds: 0,
      endsHopeless: false,
    })
    result = trials.results()[0] ?? null
  })
  await folder.finish(run)
  if (run.reason === 'interrupted') return { folder, ended: 'interrupted', result }
  return { folder, ended: run.exitCode === 0 ? 'finished' : 'failed', result }
}
