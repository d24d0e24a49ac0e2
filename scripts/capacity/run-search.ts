import { getAxisUnit } from '../../contract/capacity.ts'
import { percent } from '../../reports/objective-text.ts'
import type { Io } from '../io.ts'
import { announceLoad } from '../load/announce-load.ts'
import type { Trials } from '../load/with-trials.ts'
import type { CapacityPlan } from './plan-capacity.ts'
import { offerSockets } from './plan-sockets.ts'
import { nextTrial } from './search.ts'
import { stageTrials } from './stages.ts'

/** Runs the trials of a search, or of fixed stages, until one of them ends it. */
export function runSearch(plan: CapacityPlan, trials: Trials, io: Io): Promise<void> {
  return plan.stages === null ? search(plan, trials, io) : runStages(plan, trials)
}

export function announceSearch(plan: CapacityPlan): string[] {
  const { goal, stages } = plan
  const upTo = goal.rateMax === null ? '' : ` up to ${goal.rateMax}`
  const precision = `within ${percent(goal.relativeWidth)}`
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
  return announceLoad(plan, what)
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
