/**
 * The hunt: runs a client under one schedule after another, and shrinks each new violation to a small case. The same seed
 * gives the same schedules, as far as the client does the same.
 */
import { CLIENT_RULES, type ClientRuleId } from '../contract/client-rules.ts'
import type { JournalEntry } from '../simulator/activity-journal.ts'
import { createRandom } from '../simulator/random.ts'
import { generateSchedule } from './generate-schedule.ts'
import { buildCase, type HuntCase } from './hunt-case.ts'
import {
  type HuntWorld,
  isSameViolation,
  type RunSchedule,
  type Schedule,
  type ScheduleRun,
  type Violation,
} from './schedule.ts'
import { type Setup, shrinkSetup } from './shrink.ts'

export type HuntOptions = {
  run: RunSchedule
  world: HuntWorld
  seed: number
  /** Number of schedules, without the runs that shrink or confirm (default: until `isOver`). */
  schedulesMax?: number
  isOver?: () => boolean
  /** Runs that confirm each step of shrinking: 1 if a run always ends the same. */
  confirmations: number
  /** Cases of earlier hunts, which run first. */
  cases?: readonly HuntCase[]
  onProgress?: (progress: HuntProgress) => void
}

export type HuntProgress = {
  schedules: number
  runs: number
  exercised: number
  findings: number
  /** The violation that is being shrunk; null during the search. */
  shrinking: ClientRuleId | null
}

export type HuntFinding = Violation & {
  /** Number of the schedule that found it; 0 for the run without faults. */
  schedule: number
  /** The minimum, and how often it was confirmed. */
  minimum: HuntCase
  reproduced: { times: number; of: number }
  /** What happened in the last run of the minimum that reproduced it; the newest entries. */
  timeline: readonly JournalEntry[]
}

export type HuntReport = {
  seed: number
  schedules: number
  /** All runs, with those that shrink and confirm. */
  runs: number
  situations: number
  findings: readonly HuntFinding[]
  /** For each client rule, in how many schedules it bound the client, and in how many the client violated it. */
  duties: readonly { rule: ClientRuleId; exercised: number; violated: number }[]
  cases: readonly { finding: HuntCase['finding']; reproduces: boolean }[]
}

const PROMISING_MAX = 20
const SHRINK_TRIES_MAX = 150
/** A duty that is violated in many ways is one to fix first. */
const SHAPES_MAX = 3

/** Throws a BreakwaterError of `run`, if the client or its stub cannot run. */
export async function searchSchedules(options: HuntOptions): Promise<HuntReport> {
  const { world, seed, schedulesMax = Number.POSITIVE_INFINITY, isOver = () => false, confirmations } = options
  const stream = createRandom(seed).stream('hunt')
  const counts = new Map<string, number>()
  const promising: Schedule[] = []
  const routes = new Set<string>()
  const rooms = new Set<string>()
  const findings: HuntFinding[] = []
  const cases: HuntReport['cases'][number][] = []
  const duties = new Map(CLIENT_RULES.map(({ id }) => [id as ClientRuleId, { exercised: 0, violated: 0 }]))
  let schedules = 0
  let runs = 0
  let shrinking: ClientRuleId | null = null

  const report = () => {
    const exercised = [...duties.values()].filter((duty) => duty.exercised > 0).length
    options.onProgress?.({ schedules, runs, exercised, findings: findings.length, shrinking })
  }
  const run: RunSchedule = async (schedule, inWorld) => {
    const result = await options.run(schedule, inWorld)
    runs++
    report()
    return result
  }
  /** Runs until it is clear; undefined if one run does not show the violation. */
  const confirm = async ({ schedule, world }: Setup, violation: Pick<Violation, 'rule' | 'client' | 'shape'>) => {
    let last: { run: ScheduleRun; violation: Violation } | undefined
    for (let times = 0; times < confirmations; times++) {
      const again = await run(schedule, world)
      const found = again.violations.find((other) => isSameViolation(other, violation))
      if (!found) return undefined
      last = { run: again, violation: found }
    }
    return last
  }
  const examine = async (violation: Violation, setup: Setup) => {
    shrinking = violation.rule
    report()
    const reproduces = async (smaller: Setup) => !isOver() && (await confirm(smaller, violation)) !== undefined
    const isStable = await reproduces(setup)
    const smallest = isStable ? await shrinkSetup(setup, { reproduces, triesMax: SHRINK_TRIES_MAX }) : setup
    const last = isStable ? await confirm(smallest, violation) : undefined
    const shown = last?.violation ?? violation
    findings.push({
      ...shown,
      schedule: schedules,
      minimum: buildCase({ violation: shown, ...smallest }),
      reproduced: { times: last ? confirmations : 0, of: confirmations },
      timeline: last?.run.entries ?? [],
    })
    shrinking = null
    report()
  }
  const isKnown = (violation: Violation) =>
    findings.some((known) => isSameViolation(known, violation)) ||
    findings.filter(({ rule, client }) => rule === violation.rule && client === violation.client).length >= SHAPES_MAX

  for (const { finding, world: itsWorld, schedule } of options.cases ?? []) {
    if (isOver()) break
    const { violations } = await run(schedule?.faults ?? [], itsWorld)
    cases.push({ finding, reproduces: violations.some((violation) => isSameViolation(violation, finding)) })
  }
  for (let number = 0; number < schedulesMax && !isOver(); number++) {
    const vocabulary = { routes: [...routes], rooms: [...rooms] }
    const schedule =
      number === 0
        ? []
        : generateSchedule({
            stream,
            count: (situation) => counts.get(situation) ?? 0,
            promising,
            vocabulary,
            durationMs: world.durationMs,
          })
    const result = await run(schedule, world)
    schedules = number
    for (const route of result.routes) routes.add(route)
    for (const room of result.rooms) rooms.add(room)
    for (const rule of result.exercised) count(duties, rule, 'exercised')
    for (const rule of new Set(result.violations.map((violation) => violation.rule))) count(duties, rule, 'violated')
    const situations = [...result.situations, ...result.exercised]
    if (situations.some((situation) => !counts.has(situation))) {
      promising.push(result.taken)
      if (promising.length > PROMISING_MAX) promising.shift()
    }
    for (const situation of situations) counts.set(situation, (counts.get(situation) ?? 0) + 1)
    for (const violation of result.violations) {
      if (!isKnown(violation)) await examine(violation, { schedule: result.taken, world })
    }
  }
  return {
    seed,
    schedules: schedules + 1,
    runs,
    situations: counts.size,
    findings,
    duties: [...duties].map(([rule, duty]) => ({ rule, ...duty })),
    cases,
  }
}

function count(
  duties: Map<ClientRuleId, { exercised: number; violated: number }>,
  rule: ClientRuleId,
  what: 'exercised' | 'violated',
): void {
  const duty = duties.get(rule)
  if (duty) duty[what]++
}
