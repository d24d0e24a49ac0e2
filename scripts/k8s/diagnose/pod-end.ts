import { exitMeaning } from '../../k6/exit-codes.ts'
import type { PodView } from './cluster-view.ts'
import { DELETED, STAY_HINT } from './gone-pod.ts'
import { conditionOf, containerState, told } from './pod-facts.ts'
import type { Trouble } from './verdict.ts'

export type PodEnd = { trouble: Trouble | null; exitCode: number | null; endedAt: string | null }

type How = Omit<Trouble, 'mayHeal'>

/** Who takes a pod away, by the reason of its condition DisruptionTarget. */
const DISRUPTIONS: Readonly<Record<string, string>> = {
  PreemptionByScheduler: 'made room for a pod of higher priority',
  DeletionByTaintManager: 'taken off the node, which is not reached or is not to have it any more',
  EvictionByEvictionAPI: 'evicted, as by `kubectl drain`',
  DeletionByPodGC: 'the node is gone',
  TerminationByKubelet: 'ended by the node',
}

/** By the reason that a pod's status gives. */
const POD_REASONS: Readonly<Record<string, string>> = {
  Evicted: 'evicted',
  DeadlineExceeded: 'ended by the pod’s own deadline',
  NodeLost: 'the node is lost',
  Shutdown: 'the node was shut down',
  Terminated: 'the node was shut down',
}

/**
 * How a pod has ended, or is about to end; null: it has not. `mayStop`: k6 was asked to stop, and says so by its exit code.
 */
export function podEnd(pod: PodView, { mayStop }: { mayStop: boolean }): PodEnd | null {
  const { terminated } = containerState(pod)
  const how = takenAway(pod, mayStop) ?? terminatedHow(pod, mayStop)
  if (how === null && terminated === undefined) return null
  return {
    trouble: how === null ? null : { ...how, mayHeal: false },
    exitCode: terminated?.exitCode ?? null,
    endedAt: terminated?.finishedAt ?? pod.metadata.deletionTimestamp ?? null,
  }
}

function takenAway(pod: PodView, mayStop: boolean): How | null {
  const { status, metadata } = pod
  const reason = POD_REASONS[status?.reason ?? '']
  const message = status?.message === undefined ? '' : `: ${told(status.message)}`
  if (reason !== undefined) return byCluster(reason + message)
  if (containerState(pod).terminated !== undefined) return null
  const disrupted = disruptedHow(pod)
  if (disrupted !== null) return disrupted
  if (status?.phase === 'Unknown' || conditionOf(pod, 'Ready', 'Unknown') !== undefined)
    return byCluster(`the node ${told(pod.spec?.nodeName ?? '')} is not reached any more`)
  // Deleted so as to stop it, it goes on to its end.
  return metadata.deletionTimestamp === undefined || mayStop ? null : byCluster(DELETED)
}

function disruptedHow(pod: PodView): How | null {
  const disruption = conditionOf(pod, 'DisruptionTarget', 'True')
  if (disruption === undefined) return null
  return byCluster(DISRUPTIONS[disruption.reason ?? ''] ?? told(disruption.message ?? 'taken away'))
}

function byCluster(sentence: string): How {
  return { sentence, hint: STAY_HINT, whose: 'cluster' }
}

/** What k6 exits with after it was asked to stop: by its REST API, or by a signal. */
const STOPPED = new Set([103, 105])

/** What k6 exits with, or its container, where a signal ended it. */
const SIGNALLED = new Set([105, 137])

function terminatedHow(pod: PodView, mayStop: boolean): How | null {
  const { terminated } = containerState(pod)
  if (terminated === undefined || terminated.exitCode === 0) return null
  const { exitCode, reason, message } = terminated
  if (mayStop && STOPPED.has(exitCode)) return null
  if (reason === 'OOMKilled') return outOfMemory(pod)
  // Seen between its end and its deletion: who deletes a pod has it ended first.
  const disrupted = disruptedHow(pod)
  if (SIGNALLED.has(exitCode) && disrupted !== null) return disrupted
  if (SIGNALLED.has(exitCode) && pod.metadata.deletionTimestamp !== undefined) return byCluster(DELETED)
  if (reason === 'StartError' || reason === 'ContainerCannotRun') {
    const hint =
      'Is it an image of Breakwater, made for these nodes? `k6`, `breakwater` and `sh` must be on its PATH.'
    return {
      sentence: `the container could not be started: ${lastPart(message ?? '')}`,
      hint,
      whose: 'runner',
    }
  }
  if (exitCode === 137)
    return {
      sentence: 'killed (exit code 137)',
      hint: 'Something ended it by SIGKILL: the node, where memory ran short there, or a person.',
      whose: 'cluster',
    }
  return {
    sentence: `k6 ended with exit code ${exitCode}: ${exitMeaning(exitCode, null)}`,
    hint: 'The log tells more.',
    whose: 'runner',
  }
}

function outOfMemory(pod: PodView): How {
  const limit = pod.spec?.containers?.[0]?.resources?.limits?.memory
  return {
    sentence: `out of memory${limit === undefined ? '' : `: the limit is ${told(limit)}`}`,
    hint: 'Give each runner more (--memory), or less to do (--parallelism).',
    whose: 'runner',
  }
}

/** Runtimes put the cause last, after all who passed it on. */
function lastPart(message: string): string {
  return told(message.replace(/^.*unable to start container process: /s, '').replace(/: unknown$/, ''))
}
