import {
  type Capacity,
  getAxisUnit,
  type TrialFacts,
  type TrialResult,
  trialFactsSchema,
} from '../../contract/capacity.ts'
import type { Report } from '../../contract/report.ts'
import type { Run } from '../../contract/run.ts'
import { figure } from '../objective-text.ts'
import { type Line, readLines } from '../run-lines.ts'
import type { Slice } from '../series/point.ts'

export type TrialsRead = {
  trials: TrialFacts[]
  /** False if the file does not exist: the run was not a search, or was killed before its first trial ended. */
  found: boolean
  complete: boolean
  notes: string[]
}

/** Reads trials.ndjson up to the first damaged line. */
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
    notes: [...(damage === undefined ? [] : [damage]), ...noteHole(trials)],
  }
}

/** Trials are numbered from 1. A gap at the end cannot be seen. */
function noteHole(trials: readonly TrialFacts[]): string[] {
  const numbers = new Set(trials.map(({ trial }) => trial))
  const missing = Array.from({ length: trials.at(-1)?.trial ?? 0 }, (_, index) => index + 1).filter(
    (number) => !numbers.has(number),
  )
  if (missing.length === 0) return []
  const shown = missing.slice(0, MISSING_SHOWN_MAX).join(', ')
  const more = missing.length > MISSING_SHOWN_MAX ? ` and ${missing.length - MISSING_SHOWN_MAX} more` : ''
  return [`trials.ndjson has no trial ${shown}${more}: the result is that of the other trials.`]
}

const MISSING_SHOWN_MAX = 5

/** True for a finished load without its trial: then nothing separates the judged seconds from the warm-up. */
export function isTrialMissing(
  { search, load, state }: Pick<Run, 'search' | 'load' | 'state'>,
  trials: readonly unknown[],
): boolean {
  return search === null && load !== null && state === 'finished' && trials.length === 0
}

export const TRIAL_MISSING = 'trials.ndjson has no trial of this load: the file is damaged or missing.'

/** A part of the series that contains nothing. */
export const NO_SLICE: Slice = { trial: null, from: 0, to: 0 }

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

/** Samples of trials with the same number cannot be separated. */
function describeRepeat({ number }: Line, { trial }: TrialFacts): string {
  return `trials.ndjson has trial ${trial} out of order at line ${number}: that trial and all after it were not read.`
}

/**
 * The trial whose latencies stand for the run: the only one, or the last passing trial at the found (or highest) rate,
 * which is the confirmation if there is one. Undefined if none passed, and for fixed stages, which are judged as a whole.
 */
export function focusTrial(capacity: Capacity | null): TrialResult | undefined {
  const { trials = [], rate = null, highestPassingRate = null } = capacity ?? {}
  if (trials.length === 1) return trials[0]
  if (trials.some(({ phase }) => phase === 'stage')) return undefined
  const met = trials.filter(({ outcome, phase }) => outcome === 'pass' && phase !== 'warm-up')
  const highest = Math.max(...met.map((trial) => trial.rate))
  return met.findLast((trial) => trial.rate === (rate ?? highestPassingRate ?? highest))
}

/** Objectives that failed because the load generator saturated say nothing about the target. */
export function withoutGeneratorFailures(slo: Report['slo'], capacity: Capacity | null): Report['slo'] {
  const focus = focusTrial(capacity)
  const whole = capacity?.limitedBy === 'generator' ? capacity.trials : []
  const judged = focus === undefined ? whole : [focus]
  const limited = judged.find(({ outcome }) => outcome === 'generator-limited')
  if (slo === null || limited === undefined) return slo
  const { reason } = limited
  const objectives = slo.objectives.map((objective) =>
    objective.verdict === 'fail' ? { ...objective, verdict: 'inconclusive' as const, reason } : objective,
  )
  return { ...slo, objectives }
}

/** The trial that objectives and latencies of a report refer to; null for the whole run. */
export function focusText(capacity: Capacity | null): string | null {
  const focus = focusTrial(capacity)
  if (focus === undefined) return null
  const what = focus.phase === 'confirmation' ? 'the confirmation' : `trial ${focus.trial}`
  return `of ${what} at ${figure(focus.rate)} ${getAxisUnit(focus.axis)}`
}

/**
 * The judged part of the series of a trial. Stages share the tag of their one load, so only the seconds separate
 * them. If the judged part never started, the slice is empty.
 */
export function judgedSlice({ trial, phase, judgedFrom, judgedTo }: TrialFacts): Slice {
  const tag = phase === 'stage' ? null : trial
  return { trial: tag, from: judgedFrom ?? 0, to: judgedFrom === null ? 0 : (judgedTo ?? judgedFrom) }
}
