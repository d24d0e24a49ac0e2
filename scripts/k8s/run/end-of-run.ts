import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { targetProblemIn } from '../../../contract/response-bounds.ts'
import type { K6Run } from '../../k6/run-k6.ts'
import type { Failure } from '../diagnose/diagnose.ts'
import { oneLine } from '../diagnose/pod-standing.ts'
import type { ClusterEnd } from './cluster-facts.ts'
import type { Followed } from './follow-run.ts'

export type EndOfRun = ClusterEnd & {
  k6: Pick<K6Run, 'exitCode' | 'reason' | 'meaning'>
  /** What went wrong, and what to do; null: nothing. */
  failure: Pick<Failure, 'sentence' | 'hint'> | null
}

/** How a run ended, for its trial and for run.json. `logs`: what the runners said, by their numbers. */
export function endOfRun(followed: Followed, logs: ReadonlyMap<number, string>): EndOfRun {
  const failure = failureOf(followed, logs)
  if (failure !== null) {
    const { sentence } = failure
    const reason = followed.how === 'deadline' ? 'deadline' : 'finished'
    return {
      ended: 'broken',
      reason: sentence,
      k6: { exitCode: null, reason, meaning: sentence },
      failure,
    }
  }
  if (followed.how === 'interrupted')
    return {
      ended: 'interrupted',
      reason: 'it was interrupted',
      k6: { exitCode: 0, reason: 'interrupted', meaning: 'interrupted' },
      failure,
    }
  return {
    ended: 'whole',
    reason: null,
    k6: { exitCode: 0, reason: 'finished', meaning: 'finished' },
    failure,
  }
}

function failureOf({ how, verdict }: Followed, logs: ReadonlyMap<number, string>): EndOfRun['failure'] {
  if (how === 'deadline') return LATE
  if (verdict.kind !== 'failed') return null
  return withLog(verdict, logs.get(verdict.logOf ?? 0) ?? '')
}

const LATE = {
  sentence: 'the runners did not end in time',
  hint: 'A target that answers no more keeps clients waiting: their logs are in k6.stderr.log.',
}

/**
 * Adds to a failure what the log of its runner says: that the target does not serve, or the last words of k6. A log quotes a target:
 * it is shown as one line fit for a terminal.
 */
function withLog({ sentence, hint }: Failure, log: string): EndOfRun['failure'] {
  const problem = targetProblemIn(log)
  const [runners = ''] = sentence.split(': ', 1)
  if (problem !== undefined)
    return {
      sentence: `${runners}: the target does not serve the load: ${oneLine(problem)}`,
      hint: 'Check from within the cluster that baseUrl is right, and that pods can reach it (DNS, network policies, proxies).',
    }
  const words = lastWords(log)
  return { sentence: words === '' ? sentence : `${sentence}; its log ends: ${words}`, hint }
}

/** The last line that is neither empty nor indented, as stacks and summaries are, without the frame of k6's own log. */
function lastWords(log: string): string {
  const line = log.split('\n').findLast((one) => /^\S/.test(one)) ?? ''
  const framed = /^time="[^"]*" level=\w+ msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
  return oneLine(framed?.replaceAll('\\"', '"') ?? line)
}

/** What keeps a load from being made, as the error of a command. */
export function failureError({ sentence, hint }: Pick<Failure, 'sentence' | 'hint'>): BreakwaterError {
  return new BreakwaterError(sentence, { hint, exitCode: EXIT.environment })
}
