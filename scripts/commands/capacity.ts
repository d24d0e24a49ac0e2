/** `breakwater capacity`: the highest rate that meets the objectives, found by trials, or a fixed profile of stages. */
import type { ExitCode } from '../../contract/breakwater-error.ts'
import {
  type CapacityOptions,
  type CapacityPlan,
  planCapacity,
  stageTrials,
} from '../capacity/plan-capacity.ts'
import { nextTrial } from '../capacity/search.ts'
import type { Io } from '../io.ts'
import { announceLoad, generatorWarnings } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { LOAD_SCRIPT } from '../load/run-load.ts'
import { type Trials, withTrials } from '../load/with-trials.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment where k6 or the target is not to be had. */
export function runCapacity(options: CapacityOptions & BaselineOptions): Promise<ExitCode> {
  return withRun(
    { ...options, plan: () => planCapacity(options), announce, openWorlds: openLoadWorld },
    async ({ plan, worlds, io, openFolder, ...k6 }) => {
      const folder = await openFolder()
      const generator = { ...k6, script: LOAD_SCRIPT }
      const ended = await withTrials({ plan, generator, worlds, folder, io }, (trials) =>
        plan.stages === null ? search(plan, trials, io) : offerStages(plan, trials),
      )
      await folder.finish(ended)
      return folder
    },
  )
}

function announce(plan: CapacityPlan): string[] {
  const { goal, stages } = plan
  const upTo = goal.rateMax === null ? '' : ` up to ${goal.rateMax}`
  const what =
    stages === null
      ? `searching from ${goal.rateStart} iterations a second on${upTo}, within ${goal.relativeWidth * 100} %`
      : `the stages ${stages.name}`
  return [...announceLoad(plan, what), ...generatorWarnings(plan).map((line) => `  ${line}`)]
}

async function search(plan: CapacityPlan, trials: Trials, io: Io): Promise<void> {
  const choose = () => nextTrial({ plan: plan.goal, trials: trials.results(), budget: trials.budget() })
  while (!io.interrupted.aborted) {
    if ('done' in choose()) return
    await trials.getOver()
    // Once more, as that took of the budget.
    const next = choose()
    if ('done' in next) return
    const { phase, rate, warmUpSeconds, seconds, pauseSeconds, why } = next
    await trials.run({
      judged: [{ phase, rate, rateFrom: null, warmUpSeconds, seconds }],
      stages: [{ seconds: warmUpSeconds + seconds, rate }],
      rateFrom: rate,
      why,
      pauseSeconds,
      endsHopeless: true,
    })
  }
}

/** One load for all stages: whatever one of them leaves behind is there in the next. */
async function offerStages({ stages: profile }: CapacityPlan, trials: Trials): Promise<void> {
  if (profile === null) return
  const stages = stageTrials(profile)
  await trials.run({
    judged: stages.map((stage) => ({ ...stage, warmUpSeconds: 0 })),
    stages: stages.map(({ seconds, rate }) => ({ seconds, rate })),
    rateFrom: stages[0]?.rateFrom ?? stages[0]?.rate ?? 0,
    why: `stages ${profile.name}`,
    pauseSeconds: 0,
    endsHopeless: false,
  })
}
