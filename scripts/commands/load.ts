import type { ExitCode } from '../../contract/breakwater-error.ts'
import { announceLoad, generatorWarnings, tooShort } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { type HeldLoadPlan, type HoldOptions, planHeldLoad } from '../load/plan-load.ts'
import { LOAD_SCRIPT } from '../load/run-load.ts'
import { holdLoad } from '../load/with-trials.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment if k6 or the target is unavailable. */
export function runLoad(options: HoldOptions & BaselineOptions): Promise<ExitCode> {
  return withRun(
    { ...options, plan: () => planHeldLoad(options), announce: announceHeld, openWorlds: openLoadWorld },
    async ({ plan, worlds, io, openFolder: _opensItself, ...k6 }) => {
      const { folder } = await holdLoad(plan, { generator: { ...k6, script: LOAD_SCRIPT }, worlds, io })
      return folder
    },
  )
}

function announceHeld(plan: HeldLoadPlan): string[] {
  const { rate, seconds } = plan.heldLoad
  const warnings = [...tooShort({ ...plan, rate, seconds }), ...generatorWarnings(plan)]
  return [
    ...announceLoad(plan, `${rate} iterations per second for ${seconds} s`),
    ...warnings.map((warning) => `  ${warning}`),
  ]
}
