import type { TrialFacts, TrialOutcome } from '../../contract/capacity.ts'
import type { Report } from '../../contract/report.ts'
import { figure } from '../objective-text.ts'
import type { Span } from '../series/windows.ts'

/** The judged part of a trial, to be shaded behind the charts over time. */
export type TrialMark = {
  /** Seconds since the first of the run: from, and up to but not including. */
  from: number
  to: number
  label: string
  /** A custom property of page.css, without its dashes. */
  colour: string
}

const COLOURS: Readonly<Record<TrialOutcome, string>> = {
  met: 'pass',
  missed: 'fail',
  generator: 'inconclusive',
  unjudged: 'skipped',
}

/** Of the trials whose judged part began. */
export function trialMarks(options: {
  trials: readonly Pick<TrialFacts, 'trial' | 'rate' | 'judgedFrom' | 'judgedTo'>[]
  capacity: Report['capacity']
  span: Span
}): TrialMark[] {
  const { trials, capacity, span } = options
  return trials.flatMap(({ trial, rate, judgedFrom, judgedTo }) => {
    if (judgedFrom === null || judgedTo === null) return []
    const from = Math.max(judgedFrom, span.firstSecond) - span.firstSecond
    const to = Math.min(judgedTo, span.lastSecond + 1) - span.firstSecond
    const outcome = capacity?.trials.find((each) => each.trial === trial)?.outcome ?? 'unjudged'
    return to > from
      ? [{ from, to, label: `trial ${trial}, ${figure(rate)}/s`, colour: COLOURS[outcome] }]
      : []
  })
}
