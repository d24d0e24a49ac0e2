import type { TrialResult } from '../../contract/capacity.ts'
import type { LatencyMs } from '../../contract/report.ts'
import { figure } from '../../reports/objective-text.ts'
import type { Io } from '../io.ts'
import type { Budget } from './budget.ts'

const LOOK_MS = 500

/** What is told of a run that is made of trials: a line each, and on a terminal one more that changes meanwhile. */
export type Progress = {
  /** What is done now, on a terminal alone. */
  doing(text: string): void
  trial(result: TrialResult, why: string, budget: Budget): void
  note(line: string): void
  stop(): void
}

export function tellProgress(io: Io, leftText: () => string): Progress {
  let now: string | undefined
  const clear = () => {
    if (io.isTerminal) io.stderr('\r\x1b[2K')
  }
  const line = (text: string) => {
    clear()
    io.stderr(`${text}\n`)
  }
  const look = () => {
    if (io.isTerminal && now !== undefined) io.stderr(`\r\x1b[2K${now}; ${leftText()}`)
  }
  const tellInterrupted = () => line('interrupted: writing the report; Ctrl-C again ends at once')
  io.interrupted.addEventListener('abort', tellInterrupted)
  const timer = setInterval(look, LOOK_MS)
  return {
    doing(text) {
      now = text
      look()
    },
    trial(result, why, budget) {
      now = undefined
      line(`${trialText(result, why)}; ${budgetText(budget)}`)
    },
    note: line,
    stop() {
      clearInterval(timer)
      io.interrupted.removeEventListener('abort', tellInterrupted)
      clear()
    },
  }
}

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
