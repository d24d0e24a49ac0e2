/** A schedule: the faults of one run of a client, each with its explicit decisions, and the world that it runs in. */

import { z } from 'zod'
import type { ClientRuleId } from '../contract/client-rules.ts'
import { stubWorldSchema } from '../contract/repro-case.ts'
import type { JournalEntry } from '../simulator/activity-journal.ts'
import type { Fault, FaultPlan } from '../simulator/faults/fault-plan.ts'
import type { DutyCounts } from '../simulator/observer/findings.ts'

/** Empty: the client runs without faults. */
export type Schedule = readonly Fault[]

const HOUR_MS = 3_600_000

export const huntWorldSchema = stubWorldSchema.extend({
  durationMs: z
    .int()
    .min(1000)
    .max(HOUR_MS)
    .default(240_000)
    .describe('Length of a run in milliseconds, on the clock of the stub'),
})

export type HuntWorld = z.output<typeof huntWorldSchema>

/** A violation of a client rule. Equal `shape`s mean the same violation, in other numbers. */
export type Violation = {
  rule: ClientRuleId
  /** `wallet 2`, or a network address and a `User-Agent`. */
  client: string
  shape: string
  observed: string
  advice: string
  evidence: readonly JournalEntry[]
}

export type DutyRun = DutyCounts & {
  rule: ClientRuleId
  /** The journal entry of a situation that the client handled correctly; null without one. */
  witness: JournalEntry | null
}

export type ScheduleRun = {
  /** The decisions that the faults took, as a schedule that repeats them. */
  taken: Schedule
  violations: readonly Violation[]
  /** The counts of each rule in this run. */
  duties: readonly DutyRun[]
  /** Rules that this run exercised. */
  exercised: readonly ClientRuleId[]
  /** Names of states and events of this run, such as `ws-close while synchronized`. */
  situations: readonly string[]
  /** Routes that the client requested and rooms that it joined. */
  routes: readonly string[]
  rooms: readonly string[]
  /** The newest entries of the stub's journal. */
  entries: readonly JournalEntry[]
  /** Why the client ended early; null if it did not. */
  clientEnd: string | null
  /** CPU time of a client that is a program. */
  clientCpuMs?: number
}

/** Runs the client once, from its start, against a new stub in this world. */
export type RunSchedule = (schedule: Schedule, world: HuntWorld) => Promise<ScheduleRun>

/** Two violations are the same if these are equal. */
export type Identity = { rule: string; client: string; shape: string }

export function isSameViolation(one: Identity, other: Identity): boolean {
  return one.rule === other.rule && one.client === other.client && one.shape === other.shape
}

/** null: no faults. The seed matters only for what the decisions do not list. */
export function toPlan(schedule: Schedule, description: string): FaultPlan | null {
  return schedule.length === 0 ? null : { description, seed: 1, faults: [...schedule] }
}

/** One line for each fault: `http-429 on match 2 of GET /swaps, after 28 s: limit burst, lastsMs 3722`. */
export function describeSchedule(schedule: Schedule): string[] {
  return schedule.length === 0 ? ['no faults'] : schedule.map(describeFault)
}

function describeFault({ fault, when, ...given }: Fault): string {
  const { where, ...options } = given as Record<string, unknown>
  const places = listTexts(where)
  const matches = when.on?.map((match) => (typeof match === 'number' ? match : match.match)) ?? []
  const settings = listSettings(options)
  return [
    fault,
    matches.length > 0 ? ` on match ${listRanges(matches)}` : '',
    places.length > 0 ? ` of ${places.join(', ')}` : '',
    when.afterBlocks > 0 ? `, after ${when.afterBlocks} blocks` : '',
    when.afterMs > 0 ? `, after ${when.afterMs / 1000} s` : '',
    when.forMs === undefined ? '' : `, for ${when.forMs / 1000} s`,
    settings.length > 0 ? `: ${settings.join(', ')}` : '',
  ].join('')
}

/** `1 to 4, 7`: an outage has hundreds. */
function listRanges(matches: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const match of matches) {
    const range = ranges.at(-1)
    if (range && match === range[1] + 1) range[1] = match
    else ranges.push([match, match])
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`)).join(', ')
}

/** Routes, rooms and clients, at any depth. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

function listSettings(options: Record<string, unknown>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [`${name} ${value}`]
    return listSettings(value as Record<string, unknown>) // as: options are JSON
  })
}
