import type { ExitCode } from '../../contract/breakwater-error.ts'
import { type CapacityOptions, type CapacityPlan, planCapacity } from '../capacity/plan-capacity.ts'
import { announceSearch, runSearch } from '../capacity/run-search.ts'
import type { LiveOptions } from '../live/with-live-view.ts'
import { generatorWarnings } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { findGenerator } from '../load/run-load.ts'
import { withTrials } from '../load/with-trials.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment if k6 or the target is unavailable. */
export function runCapacity(options: CapacityOptions & BaselineOptions & LiveOptions): Promise<ExitCode> {
  return withRun(
    {
      ...options,
      plan: () => planCapacity(options),
      announce,
      readyGenerator: findGenerator,
      openWorlds: openLoadWorld,
    },
    async ({ plan, generator, worlds, io, openFolder }) => {
      const folder = await openFolder()
      await folder.finish(
        await withTrials({ plan, generator, worlds, folder, io }, (trials) => runSearch(plan, trials, io)),
      )
      return folder
    },
  )
}

function announce(plan: CapacityPlan): string[] {
  const warnings = plan.sockets === null ? generatorWarnings(plan) : []
  return [...announceSearch(plan), ...warnings.map((line) => `  ${line}`)]
}
