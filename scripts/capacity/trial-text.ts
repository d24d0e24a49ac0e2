import type { TrialResult } from '../../contract/capacity.ts'
import type { LatencyMs } from '../../contract/report.ts'
import { figure } from '../../reports/objective-text.ts'
import type { Budget } from './budget.ts'

/** A trial in a line: `trial 3: 200/s for 2 s, ramping up: met, 200/s served, p95 4 ms`. */
export function trialText(result: TrialResult, why: string): string {
  const { trial, rate, rateFrom, secondsPlanned, outcome, because, throughput, p95Ms } = result
  const rates = rateFrom === null ? `${figure(rate)}/s` : `${figure(rateFrom)} to ${figure(rate)}/s`
  const served = `${figure(throughput)}/s served${p95Ms === null ? '' : `, p95 ${latencyText(p95Ms)}`}`
  return `trial ${trial}: ${rates} for ${figure(secondsPlanned)} s, ${why}: ${outcome === 'met' ? 'met' : `${outcome} (${because})`}, ${served}`
}

function latencyText(ms: Exclude<LatencyMs, null>): string {
  return ms === 'infinite' ? 'infinite' : `${figure(ms)} ms`
}

/** What is left of it: `212 s left`, and the requests where they are counted. */
export function budgetText({ secondsMax, secondsUsed, requestsMax, requestsUsed }: Budget): string {
  const seconds = `${Math.max(0, Math.round(secondsMax - secondsUsed))} s`
  if (requestsMax === null) return `${seconds} left`
  return `${seconds} and ${figure(Math.max(0, requestsMax - requestsUsed))} requests left`
}
