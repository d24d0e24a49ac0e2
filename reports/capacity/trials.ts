import {
  type Capacity,
  type TrialFacts,
  type TrialResult,
  trialFactsSchema,
} from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'
import { type Line, readLines } from '../run-file.ts'
import type { Slice } from '../series/point.ts'

export type TrialsRead = {
  trials: TrialFacts[]
  /** False where there is no such file: the run searched for no capacity, or was killed before its first trial ended. */
  found: boolean
  /** True where every line was read. */
  complete: boolean
  /** What is wrong with the file, in sentences. */
  notes: string[]
}

/** Reads trials.ndjson: up to its end, or up to the first line that is no trial. */
export async function readTrials(file: string): Promise<TrialsRead> {
  const trials: TrialFacts[] = []
  let damage: string | undefined
  const found = await readLines(file, (line) => {
    const facts = parseTrial(line.text)
    if (facts === undefined) damage = describeDamage(line)
    else if (facts.trial <= (trials.at(-1)?.trial ?? 0)) damage = describeRepeat(line, facts)
    else trials.push(facts)
    return damage === undefined ? undefined : 'stop'
  })
  return {
    trials,
    found,
    complete: found && damage === undefined,
    notes: damage === undefined ? [] : [damage],
  }
}

function parseTrial(text: string): TrialFacts | undefined {
  try {
    return trialFactsSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function describeDamage({ number, terminated }: Line): string {
  return terminated
    ? `trials.ndjson is damaged at line ${number}: that trial and all after it were not read.`
    : `trials.ndjson breaks off in the middle of line ${number}: that trial was not read.`
}

/** Their samples could not be told apart. */
function describeRepeat({ number }: Line, { trial }: TrialFacts): string {
  return `trials.ndjson has trial ${trial} out of order at line ${number}: that trial and all after it were not read.`
}

/**
 * The trial that stands for a run where one figure of latency is asked for: the only one; else, of those that met the
 * objectives at the rate that was found, or at the highest, the last, which is the confirmation if there is one. Undefined
 * where none met them, and of a profile, which is judged as a whole.
 */
export function focusTrial(capacity: Capacity | null): TrialResult | undefined {
  const { trials = [], rate = null, atLeast = null } = capacity ?? {}
  if (trials.length === 1) return trials[0]
  if (trials.some(({ phase }) => phase === 'stage')) return undefined
  const met = trials.filter(({ outcome, phase }) => outcome === 'met' && phase !== 'warm-up')
  const highest = Math.max(...met.map((trial) => trial.rate))
  return met.findLast((trial) => trial.rate === (rate ?? atLeast ?? highest))
}

/** Of which trial the objectives and latencies of a report are; null: of the whole run. */
export function focusText(capacity: Capacity | null): string | null {
  const focus = focusTrial(capacity)
  if (focus === undefined) return null
  const what = focus.phase === 'confirmation' ? 'the confirmation' : `trial ${focus.trial}`
  return `of ${what}, at ${figure(focus.rate)} iterations a second`
}

/**
 * The part of the series that a trial is judged by. Stages of a profile are made by one load and share its tag: there the
 * seconds tell them apart. A trial whose judged part never began has an empty slice.
 */
export function judgedSlice({ trial, phase, judgedFrom, judgedTo }: TrialFacts): Slice {
  const tag = phase === 'stage' ? null : trial
  return { trial: tag, from: judgedFrom ?? 0, to: judgedFrom === null ? 0 : (judgedTo ?? judgedFrom) }
}
