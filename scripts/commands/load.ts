import type { ExitCode } from '../../contract/breakwater-error.ts'
import type { LiveOptions } from '../live/with-live-view.ts'
import { announceLoad, generatorWarnings, tooShort } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { type ConstantLoadOptions, type ConstantLoadPlan, planConstantLoad } from '../load/plan-load.ts'
import { findGenerator } from '../load/run-load.ts'
import { runConstantLoad } from '../load/with-trials.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment if k6 or the target is unavailable. */
export function runLoad(options: ConstantLoadOptions & BaselineOptions & LiveOptions): Promise<ExitCode> {
  return withRun(
    {
      ...options,
      plan: () => planConstantLoad(options),
      announce: announceConstantLoad,
      readyGenerator: findGenerator,
      openWorlds: openLoadWorld,
    },
    async ({ plan, generator, worlds, io, openFolder }) => {
      const { folder } = await runConstantLoad(plan, { generator, worlds, io, openFolder })
      return folder
    },
  )
}

function announceConstantLoad(plan: ConstantLoadPlan): string[] {
  const { rate, seconds } = plan.constantLoad
  const warnings = [...tooShort({ ...plan, rate, seconds }), ...generatorWarnings(plan)]
  return [
    ...announceLoad(plan, `${rate} iterations per second for ${seconds} s`),
    ...warnings.map((warning) => `  ${warning}`),
  ]
}
