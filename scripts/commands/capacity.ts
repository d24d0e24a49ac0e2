import type { ExitCode } from '../../contract/breakwater-error.ts'
import { getAxisUnit } from '../../contract/capacity.ts'
import { type CapacityOptions, type CapacityPlan, planCapacity } from '../capacity/plan-capacity.ts'
import { offerSockets } from '../capacity/plan-sockets.ts'
import { nextTrial } from '../capacity/search.ts'
import { stageTrials } from '../capacity/stages.ts'
import type { Io } from '../io.ts'
import type { LiveOptions } from '../live/with-live-view.ts'
import { announceLoad, generatorWarnings } from '../load/announce-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { LOAD_SCRIPT } from '../load/run-load.ts'
import { type Trials, withTrials } from '../load/with-trials.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment if k6 or the target is unavailable. */
export function runCapacity(options: CapacityOptions & BaselineOptions & LiveOptions): Promise<ExitCode> {
  return withRun(
    { ...options, plan: () => planCapacity(options), announce, openWorlds: openLoadWorld },
    async ({ plan, worlds, io, openFolder, ...k6 }) => {
      const folder = await openFolder()
      const generator = { ...k6, script: LOAD_SCRIPT }
      const ended = await withTrials({ plan, generator, worlds, folder, io }, (trials) =>
        plan.stages === null ? search(plan, trials, io) : runStages(plan, trials),
      )
      await folder.finish(ended)
      return folder
    },
  )
}

function announce(plan: CapacityPlan): string[] {
  const { goal, stages } = plan
  const upTo = goal.rateMax === null ? '' : ` up to ${goal.rateMax}`
  const precision = `within ${goal.relativeWidth * 100} %`
  if (plan.sockets !== null) {
    const { openedPerSecond, roomsPerSocket, normalSockets } = plan.sockets
    const unit = getAxisUnit(goal.axis)
    const each = roomsPerSocket === undefined ? '' : ` of sockets with ${roomsPerSocket} each`
    const next = normalSockets === undefined ? '' : ` next to ${normalSockets} normal sockets`
    const opened = `${openedPerSecond}${unit === 'sockets' ? '' : ' sockets'} opened per second`
    const what = `searching from ${goal.rateStart} ${unit}${each}${next}${upTo}, ${opened}, ${precision}`
    return announceLoad({ ...plan, arrivals: null }, what)
  }
  const what =
    stages === null
      ? `searching from ${goal.rateStart} iterations per second${upTo}, ${precision}`
      : `the stages ${stages.name}`
  return [...announceLoad(plan, what), ...generatorWarnings(plan).map((line) => `  ${line}`)]
}

async function search(plan: CapacityPlan, trials: Trials, io: Io): Promise<void> {
  const choose = () => nextTrial({ plan: plan.goal, trials: trials.results(), budget: trials.budget() })
  while (!io.interrupted.aborted) {
    if ('done' in choose()) return
    await trials.waitForRecovery()
    // Waiting used up some of the budget.
    const next = choose()
    if ('done' in next) return
    const { phase, rate, warmUpSeconds, seconds, pauseSeconds, why } = next
    const { recoverWithinSeconds } = plan.sockets ?? {}
    const storm = recoverWithinSeconds === undefined ? {} : { recoverWithinSeconds }
    await trials.run({
      judged: [{ phase, axis: plan.goal.axis, rate, rateFrom: null, warmUpSeconds, seconds, ...storm }],
      stages: [{ seconds: warmUpSeconds + seconds, rate }],
      rateFrom: rate,
      why,
      pauseSeconds,
      endsHopeless: true,
      ...(plan.sockets !== null && { sockets: offerSockets(rate, { ...plan, ...plan.sockets }) }),
    })
  }
}

/** Runs one load for all stages, so that each stage starts in the state that the previous one left. */
async function runStages({ stages: profile }: CapacityPlan, trials: Trials): Promise<void> {
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
