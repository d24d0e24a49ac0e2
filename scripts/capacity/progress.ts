import type { TrialResult } from '../../contract/capacity.ts'
import type { Io } from '../io.ts'
import { followLoad, type RecentLoad } from '../progress/recent-load.ts'
import { showProgress } from '../progress/show-progress.ts'
import type { Budget } from './budget.ts'
import { budgetText, trialText } from './trial-text.ts'

/** A load that is offered: how long it takes, and where k6 writes what it measures. */
export type LoadUnderWay = { seconds: number; seriesFiles: readonly string[] }

/** What is under way: in words, with the load that it offers, where it does. */
export type Doing = { what: string; load?: LoadUnderWay }

/** What is told of a run that is made of trials: a line each, and meanwhile what is under way. */
export type TrialProgress = {
  doing(now: Doing): void
  trial(result: TrialResult, why: string): void
  note(line: string): void
  stop(): Promise<void>
}

/** `budget`: what may still be used, where that decides when it ends; null where the plan does. */
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
      io.tell([trialText(result, why), ...left()].join('; '))
    },
    note: io.tell,
    stop: shown.stop,
  }
}
