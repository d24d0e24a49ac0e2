/** `breakwater capacity`: the highest rate that meets the objectives, found by trials, or a fixed profile of stages. */
import type { ExitCode } from '../../contract/breakwater-error.ts'
import {
  type CapacityOptions,
  type CapacityPlan,
  planCapacity,
  stageTrials,
} from '../capacity/plan-capacity.ts'
import { nextTrial } from '../capacity/search.ts'
import { generatorWarnings } from '../capacity/watch-generator.ts'
import { holdLoad, type Trials, withTrials } from '../capacity/with-trials.ts'
import { type BaselineOptions, tellBaseline } from '../compare/tell-comparison.ts'
import { orInterrupted, throwIfInterrupted } from '../interrupted.ts'
import type { Io } from '../io.ts'
import { announceLoad, tooShort } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { type HoldOptions, planHeldLoad } from '../load/plan-load.ts'
import { findGenerator } from '../load/run-load.ts'
import { mustBeFolder } from '../past-runs/find-baseline.ts'
import { step } from '../progress/detail.ts'
import { openRunFolder, tellReport } from '../run-folder.ts'
import { worldText } from '../smoke/worlds.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment where k6 or the target is not to be had. */
export async function runCapacity(options: CapacityOptions & BaselineOptions): Promise<ExitCode> {
  const { io } = options
  const plan = await orInterrupted(io.interrupted, planCapacity(options))
  await mustBeFolder(options.baseline, io)
  const generator = await findGenerator(io)
  for (const line of announce(plan)) io.tell(line)
  const worlds = await step(io, worldText(plan), () => openLoadWorld(plan, io))
  try {
    throwIfInterrupted(io.interrupted)
    const folder = await openRunFolder(plan, {
      io,
      profile: worlds.profile,
      k6Version: generator.version,
      now: new Date(),
    })
    const ended = await withTrials({ plan, generator, worlds, folder, io }, (trials) =>
      plan.stages === null ? search(plan, trials, io) : offerStages(plan, trials),
    )
    await folder.finish(ended)
    const exitCode = await tellReport({ folder, json: plan.json, io })
    const { baseline, single } = options
    return await tellBaseline({ baseline, single, folder, exitCode, json: plan.json, io })
  } finally {
    await worlds.close()
  }
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

/** `breakwater load`: one rate, held for a while, and judged by the objectives. */
/** Throws a BreakwaterError: usage for a bad option or file, environment where k6 or the target is not to be had. */
export async function runLoad(options: HoldOptions & BaselineOptions): Promise<ExitCode> {
  const { io } = options
  const plan = await orInterrupted(io.interrupted, planHeldLoad(options))
  await mustBeFolder(options.baseline, io)
  const generator = await findGenerator(io)
  const { rate, seconds } = plan.heldLoad
  const lines = announceLoad(plan, `${rate} iterations a second for ${seconds} s`)
  const warnings = [...tooShort({ ...plan, rate, seconds }), ...generatorWarnings(plan)]
  for (const line of [...lines, ...warnings.map((warning) => `  ${warning}`)]) io.tell(line)
  const worlds = await step(io, worldText(plan), () => openLoadWorld(plan, io))
  try {
    throwIfInterrupted(io.interrupted)
    const { folder } = await holdLoad(plan, { generator, worlds, io })
    const exitCode = await tellReport({ folder, json: plan.json, io })
    const { baseline, single } = options
    return await tellBaseline({ baseline, single, folder, exitCode, json: plan.json, io })
  } finally {
    await worlds.close()
  }
}
