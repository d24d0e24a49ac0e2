import { type Axis, getAxisUnit, isOfSockets, type TrialResult } from '../../contract/capacity.ts'
import type { LatencyMs } from '../../contract/report.ts'
import { throughputText } from '../../reports/capacity/capacity-texts.ts'
import { figure } from '../../reports/objective-text.ts'
import type { Io } from '../io.ts'
import { followLoad, type RecentLoad, showProgress } from '../progress/show-progress.ts'
import type { Budget } from './with-trials.ts'

type SocketFigures = NonNullable<TrialResult['sockets']>

export type LoadUnderWay = { seconds: number; seriesFiles: readonly string[] }

export type Doing = { what: string; load?: LoadUnderWay }

export type TrialProgress = {
  doing(now: Doing): void
  trial(result: TrialResult, why: string): void
  note(line: string): void
  stop(): Promise<void>
}

/** `budget`: what is left, if it decides when the run ends; null: the plan decides. */
export function showTrials(io: Io, budget: (() => Budget) | null): TrialProgress {
  let now: { what: string; seconds: number | null; startedMs: number; load: RecentLoad } | undefined
  const left = () => (budget === null ? [] : [budgetText(budget())])
  const shown = showProgress(io, {
    look: async () => now?.load.look(),
    parts() {
      if (now === undefined) return []
      const { what, seconds, startedMs, load } = now
      const gone = Math.round((performance.now() - startedMs) / 1000)
      const time = seconds === null ? [] : [`${Math.min(gone, seconds)} s of ${seconds} s`]
      return [what, ...time, ...left(), ...load.parts()]
    },
  })
  return {
    doing({ what, load }) {
      now = {
        what,
        seconds: load?.seconds ?? null,
        startedMs: performance.now(),
        load: followLoad(load?.seriesFiles ?? []),
      }
    },
    trial(result, why) {
      now = undefined
      io.status(null)
      io.log([trialText(result, why), ...left()].join('; '))
    },
    note: io.log,
    stop: shown.stop,
  }
}

/** Formats a trial: `trial 3: 200/s for 2 s, ramping up: pass, 200/s served, p95 4 ms`. */
export function trialText(result: TrialResult, why: string): string {
  if (isOfSockets(result.axis)) return socketsText(result, why)
  const { trial, rate, rateFrom, secondsPlanned, outcome, reason, throughput, p95Ms } = result
  const rates = rateFrom === null ? `${figure(rate)}/s` : `${figure(rateFrom)} to ${figure(rate)}/s`
  const served = `${figure(throughput)}/s served${p95Ms === null ? '' : `, p95 ${latencyText(p95Ms)}`}`
  return `trial ${trial}: ${rates} for ${figure(secondsPlanned)} s, ${why}: ${outcomeText({ outcome, reason })}, ${served}`
}

function outcomeText({ outcome, reason }: Pick<TrialResult, 'outcome' | 'reason'>): string {
  return outcome === 'pass' ? 'pass' : `${outcome} (${reason})`
}

/** Formats a trial: `trial 3: 200 sockets for 5 s, ramping up: pass, 200 served, p90 to synchronize 12 ms`. */
function socketsText(result: TrialResult, why: string): string {
  const { trial, axis = 'rate', recoverWithinSeconds, rate, secondsPlanned, sockets } = result
  if (recoverWithinSeconds !== undefined) return stormText(result, why)
  const shown = sockets === undefined ? '' : SHOWN_TEXTS[axis](sockets)
  return `trial ${trial}: ${figure(rate)} ${getAxisUnit(axis)} for ${figure(secondsPlanned)} s, ${why}: ${outcomeText(result)}, ${servedText(result)}${shown}`
}

function servedText(result: TrialResult): string {
  return `${throughputText(result)}${result.axis === 'slow-readers' ? ' of the normal sockets' : ''} served`
}

const SHOWN_TEXTS: Readonly<Record<Axis, (sockets: SocketFigures) => string>> = {
  rate: () => '',
  sockets: synchronizedText,
  subscriptions: (sockets) => `${synchronizedText(sockets)}${eventsText(sockets)}`,
  'slow-readers': (sockets) => `${synchronizedText(sockets)}${eventsText(sockets)}`,
  events: eventsText,
}

function synchronizedText({ synchronizeP90Ms }: SocketFigures): string {
  return synchronizeP90Ms === null ? '' : `, p90 to synchronize ${latencyText(synchronizeP90Ms)}`
}

/** Formats a trial: `trial 3: cut 200 sockets, ramping up: pass, 200 recovered, 99 % within 2.1 s`. */
function stormText(result: TrialResult, why: string): string {
  const { trial, rate, throughput, sockets } = result
  const most = sockets?.recovery?.find(({ share }) => share === 0.99)
  const within = most === undefined ? '' : `, 99 % within ${figure(most.ms / 1000)} s`
  return `trial ${trial}: cut ${figure(rate)} sockets, ${why}: ${outcomeText(result)}, ${figure(throughput)} recovered${within}`
}

function eventsText({ eventsPerSecond, feedDelayP95Ms }: SocketFigures): string {
  const delay = feedDelayP95Ms === null ? '' : `, p95 of feed delay ${latencyText(feedDelayP95Ms)}`
  return `, ${figure(eventsPerSecond)} events/s${delay}`
}

function latencyText(ms: Exclude<LatencyMs, null>): string {
  return ms === 'infinite' ? 'infinite' : `${figure(ms)} ms`
}

/** For example `212 s left`, plus requests if they are limited. */
export function budgetText({ secondsMax, secondsUsed, requestsMax, requestsUsed }: Budget): string {
  const seconds = `${Math.max(0, Math.round(secondsMax - secondsUsed))} s`
  if (requestsMax === null) return `${seconds} left`
  return `${seconds} and ${figure(Math.max(0, requestsMax - requestsUsed))} requests left`
}
