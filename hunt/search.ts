/**
 * The hunt: runs a client under one schedule after another, and shrinks each new violation to a small case. The same seed
 * gives the same schedules if the client behaves the same.
 */
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { CLIENT_RULES, type ClientRuleId } from '../contract/client-rules.ts'
import type { JournalEntry } from '../simulator/activity-journal.ts'
import { FaultPlanMisfit } from '../simulator/faults/fault-plan.ts'
import { createRandom, pickByWeight } from '../simulator/random.ts'
import { generateSchedule } from './generate-schedule.ts'
import { buildCase, type HuntCase, type NamedHuntCase } from './hunt-case.ts'
import { mustWork } from './must-work.ts'
import {
  type HuntWorld,
  type Identity,
  isSameViolation,
  type RunSchedule,
  type Schedule,
  type ScheduleRun,
  type Violation,
} from './schedule.ts'
import { type Setup, shrinkSetup } from './shrink.ts'

export type SearchOptions = {
  run: RunSchedule
  /** Each schedule runs in one of them. The client must work in all. */
  worlds: readonly HuntWorld[]
  seed: number
  /** Number of schedules, without the runs that shrink or confirm (default: until `isOver`). */
  schedulesMax?: number
  isOver?: () => boolean
  /** Runs at the same time (default: 1). */
  parallel?: number
  /** True if the same schedule always ends the same; otherwise, several runs confirm each step of shrinking. */
  isExact: boolean
  /** Cases of earlier hunts, which run first. */
  cases?: readonly NamedHuntCase[]
  onProgress?: (progress: HuntProgress) => void
}

export type HuntProgress = {
  schedules: number
  runs: number
  /** Number of client rules, and of those that were exercised so far. */
  duties: number
  exercised: number
  findings: number
  /** The violation that is being shrunk; null during the search. */
  shrinking: ClientRuleId | null
  /** The report of the hunt if it ended now. */
  soFar(): HuntReport
}

export type HuntFinding = Violation & {
  /** Number of the schedule that found it; the first ones, one for each world, are without faults. */
  schedule: number
  /** The minimal case, and how often it was confirmed. */
  minimum: HuntCase
  reproduced: { times: number; of: number }
  /** The newest entries of a run of the minimum, until the violation was clear. */
  timeline: readonly JournalEntry[]
  /** Time of the first entry of that run. */
  startedMs: number
}

export type HuntReport = {
  seed: number
  schedules: number
  /** All runs, with those that shrink and confirm. */
  runs: number
  situations: number
  findings: readonly HuntFinding[]
  /** For each client rule, the number of schedules that exercised it, and of those in which the client violated it. */
  duties: readonly { rule: ClientRuleId; exercised: number; violated: number }[]
  cases: readonly (Pick<NamedHuntCase, 'file' | 'finding'> & { reproduces: boolean })[]
}

type Confirmation = {
  times: number
  last: { found: Violation; entries: readonly JournalEntry[] } | undefined
}

const PROMISING_MAX = 20
const SHRINK_TRIES_MAX = 150
/** For clients in real time, which do not always behave the same. */
export const CONFIRMATIONS = 3
const UNCONFIRMED: Confirmation = { times: 0, last: undefined }
/** A duty that is violated in many ways is one to fix first. */
const SHAPES_MAX = 3

/** Throws a BreakwaterError (environment) if the client does not work even without faults, and errors of `run`. */
export async function searchSchedules(options: SearchOptions): Promise<HuntReport> {
  const { worlds, seed, schedulesMax = Number.POSITIVE_INFINITY, isOver = () => false } = options
  const { parallel = 1, isExact } = options
  const confirmations = isExact ? 1 : CONFIRMATIONS
  const stream = createRandom(seed).stream('hunt')
  const counts = new Map<string, number>()
  const fields = worlds.map(createField)
  const findings: HuntFinding[] = []
  const cases: HuntReport['cases'][number][] = []
  const duties = new Map(CLIENT_RULES.map(({ id }) => [id as ClientRuleId, { exercised: 0, violated: 0 }]))
  let schedules = 0
  let runs = 0
  let current: ClientRuleId | null = null

  const report = () => {
    const exercised = [...duties.values()].filter((duty) => duty.exercised > 0).length
    options.onProgress?.({
      schedules,
      runs,
      duties: duties.size,
      exercised,
      findings: findings.length,
      shrinking: current,
      soFar,
    })
  }
  const soFar = (): HuntReport => ({
    seed,
    schedules,
    runs,
    situations: counts.size,
    findings,
    duties: [...duties].map(([rule, duty]) => ({ rule, ...duty })),
    cases,
  })
  const run: RunSchedule = async (schedule, inWorld) => {
    const result = await options.run(schedule, inWorld)
    runs++
    report()
    return result
  }
  /** How many of the confirming runs show the violation, and one that does. Stops once fewer than `needed` can. */
  const confirm = async (setup: Setup, violation: Identity, needed = 0): Promise<Confirmation> => {
    const shown: NonNullable<Confirmation['last']>[] = []
    for (let left = confirmations; left > 0 && shown.length + left >= needed; left -= parallel) {
      const batch = Array.from({ length: Math.min(parallel, left) }, () => run(setup.schedule, setup.world))
      for (const { violations, entries } of await Promise.all(batch)) {
        const found = violations.find((other) => isSameViolation(other, violation))
        if (found) shown.push({ found, entries })
      }
    }
    return { times: shown.length, last: shown.at(-1) }
  }
  const examine = async (violation: Violation, setup: Setup, schedule: number) => {
    current = violation.rule
    report()
    let confirmed = isOver() ? UNCONFIRMED : await confirm(setup, violation)
    const needed = confirmed.times
    const reproduces = async (smaller: Setup) => {
      if (isOver()) return false
      const again = await confirm(smaller, violation, needed).catch((error: unknown) => {
        // A plainer world may lack a route of the schedule.
        if (error instanceof FaultPlanMisfit) return UNCONFIRMED
        throw error
      })
      if (again.times < needed) return false
      confirmed = again
      return true
    }
    const shrinking = { reproduces, triesMax: SHRINK_TRIES_MAX, shrinksTime: isExact }
    const smallest = needed > 0 ? await shrinkSetup(setup, shrinking) : setup
    const { times, last } = confirmed
    const shown = last?.found ?? violation
    findings.push({
      ...shown,
      schedule,
      minimum: buildCase({ violation: shown, ...smallest }),
      reproduced: { times, of: confirmations },
      timeline: cutTimeline(last?.entries ?? [], shown.evidence),
      startedMs: last?.entries[0]?.atMs ?? 0,
    })
    current = null
  }
  const isKnown = (violation: Violation) => {
    const sameDuty = findings.filter(
      ({ rule, client }) => rule === violation.rule && client === violation.client,
    )
    return sameDuty.length >= SHAPES_MAX || sameDuty.some((known) => isSameViolation(known, violation))
  }
  const draw = (): { schedule: Schedule; field: Field } => {
    const field = pickByWeight(fields, stream)
    const { promising, routes, rooms } = field
    const schedule = generateSchedule({
      stream,
      countSituation: (situation) => counts.get(situation) ?? 0,
      promising,
      vocabulary: { routes: [...routes], rooms: [...rooms] },
      durationMs: field.world.durationMs,
    })
    return { schedule, field }
  }
  const learn = (result: ScheduleRun, { promising, routes, rooms }: Field) => {
    for (const route of result.routes) routes.add(route)
    for (const room of result.rooms) rooms.add(room)
    for (const rule of result.exercised) count(duties, rule, 'exercised')
    for (const rule of new Set(result.violations.map((violation) => violation.rule)))
      count(duties, rule, 'violated')
    const situations = [...result.situations, ...result.exercised]
    if (situations.some((situation) => !counts.has(situation))) promising.push(result.taken)
    if (promising.length > PROMISING_MAX) promising.shift()
    for (const situation of situations) counts.set(situation, (counts.get(situation) ?? 0) + 1)
  }

  report()
  for (const known of options.cases ?? []) {
    if (isOver()) break
    const { file, finding } = known
    cases.push({ file, finding, reproduces: (await runCase(known, run)).violation !== undefined })
  }
  const untried = [...fields]
  while (schedules < schedulesMax && !isOver()) {
    const size = Math.min(parallel, schedulesMax - schedules)
    const batch =
      untried.length > 0
        ? untried.splice(0, size).map((field) => ({ schedule: [], field }))
        : Array.from({ length: size }, draw)
    const results = await Promise.all(
      batch.map(async (drawn) => ({ ...drawn, result: await run(drawn.schedule, drawn.field.world) })),
    )
    for (const { schedule, field, result } of results) {
      const { world } = field
      if (schedule.length === 0) mustWork(result, world)
      const number = schedules++
      learn(result, field)
      for (const violation of result.violations) {
        if (!isKnown(violation)) await examine(violation, { schedule: result.taken, world }, number)
      }
      report()
    }
  }
  return soFar()
}

/** One world, and the search’s knowledge of it: choices of the stub name routes. */
type Field = {
  world: HuntWorld
  /** Equal time for each world: long runs are rarer. */
  weight: number
  /** Schedules that added to the coverage. */
  promising: Schedule[]
  routes: Set<string>
  rooms: Set<string>
}

function createField(world: HuntWorld): Field {
  return { world, weight: 1 / world.durationMs, promising: [], routes: new Set(), rooms: new Set() }
}

/** Runs a case once. Throws a BreakwaterError (usage) that names its file if it does not fit the exchange. */
export async function runCase(
  { file, finding, world, schedule }: NamedHuntCase,
  run: RunSchedule,
): Promise<{ violation: Violation | undefined; result: ScheduleRun }> {
  const result = await run(schedule?.faults ?? [], world).catch((error: unknown) => {
    if (!(error instanceof FaultPlanMisfit)) throw error
    const problems = error.problems.map((problem) => `\n  schedule.${problem}`).join('')
    throw new BreakwaterError(`${file}: the schedule does not fit this exchange:${problems}`, {
      cause: error,
    })
  })
  return { violation: result.violations.find((violation) => isSameViolation(violation, finding)), result }
}

const TIMELINE_MAX = 200

/** The newest entries until the last one of the evidence. */
export function cutTimeline(
  entries: readonly JournalEntry[],
  evidence: readonly JournalEntry[],
): readonly JournalEntry[] {
  const last = evidence.at(-1)?.number ?? Number.POSITIVE_INFINITY
  return entries.filter(({ number }) => number <= last).slice(-TIMELINE_MAX)
}

function count(
  duties: Map<ClientRuleId, { exercised: number; violated: number }>,
  rule: ClientRuleId,
  what: 'exercised' | 'violated',
): void {
  const duty = duties.get(rule)
  if (duty) duty[what]++
}
