import type { PodView, TestRunView } from './cluster-view.ts'
import { type JobParts, jobStanding, podStanding } from './job-standing.ts'
import { runnersText } from './pod-facts.ts'
import { starterTrouble } from './starter-trouble.ts'
import type { Failure, RunnerState, Standing, Trouble, Verdict } from './verdict.ts'

export type Diagnosis = { runners: readonly RunnerState[]; verdict: Verdict }

export type DiagnoseOptions = JobParts & {
  /** Null: it is gone. Runners that have a pod may end all the same. */
  testRun: TestRunView | null
  name: string
  parallelism: number
  /** The pod that takes what runners measure; null: there is none. */
  resultsPod: string | null
  /** Since the TestRun was applied, and how long until all runners must have begun. */
  waitedMs: number
  startMs: number
  /** Whether k6 was asked to stop: that it did is no failure then. */
  isStopping: boolean
}

/** How long the operator may take to look at a TestRun: it does so at once, if it runs and is asked to. */
const TAKEN_MS = 30_000

/**
 * What each runner of a load is at, and what is to be done: wait, go on, take what there is, or give up and say why. By the pods and Jobs
 * themselves: the stage of a TestRun is `finished` whatever came of it, and stays `started` for ever where the starter fails.
 */
export function diagnose(options: DiagnoseOptions): Diagnosis {
  const { name, parallelism, isStopping: mayStop } = options
  const starter = jobStanding(`${name}-starter`, { ...options, podsNeeded: 1, mayStop: false })
  const runners = Array.from({ length: parallelism }, (_, index): RunnerState => {
    const standing = jobStanding(`${name}-${index + 1}`, { ...options, podsNeeded: parallelism, mayStop })
    const isPaused = standing.at === 'running' && starter.at !== 'ended'
    return { runner: index + 1, ...(isPaused ? { pod: standing.pod, at: 'paused' } : standing) }
  })
  const verdict =
    goneVerdict(options) ??
    failure(runners) ??
    endedVerdict(runners) ??
    resultsVerdict(options) ??
    startVerdict(runners, starter, options)
  return { runners, verdict }
}

function goneVerdict({ testRun, name, isStopping }: DiagnoseOptions): Verdict | null {
  if (testRun === null)
    return isStopping
      ? { kind: 'ended' }
      : failed(`the TestRun ${name} was deleted`, {
          hint: 'Somebody else did so: run it again.',
          whose: 'cluster',
        })
  if (testRun.status?.stage !== 'error') return null
  return failed(`the operator refused the TestRun ${name}`, {
    hint: 'The log of the operator tells why.',
    whose: 'operator',
  })
}

/** The first that failed, and all of which the same is to be said. */
function failure(runners: readonly RunnerState[]): Failure | null {
  const failures = runners.filter((one) => one.at === 'failed')
  const [first] = failures.sort((one, other) => (one.failedAt ?? '~').localeCompare(other.failedAt ?? '~'))
  return first === undefined ? null : failedRunners(first.trouble, runners)
}

function endedVerdict(runners: readonly RunnerState[]): Verdict | null {
  return runners.every(({ at }) => at === 'ended') ? { kind: 'ended' } : null
}

/** Without it a load measures, and nobody keeps it. */
function resultsVerdict({ resultsPod, pods, events }: DiagnoseOptions): Verdict | null {
  if (resultsPod === null) return null
  const hint = 'What runners had not handed over is lost: run it again.'
  const pod = pods.find(({ metadata }) => metadata.name === resultsPod)
  if (pod === undefined) return failed(`the pod ${resultsPod} was deleted`, { hint, whose: 'cluster' })
  const standing = podStanding(withoutRestart(pod), { events, mayStop: false })
  if (standing.at === 'ended') return failed(`the pod ${resultsPod} has ended`, { hint, whose: 'cluster' })
  if (standing.at !== 'failed') return null
  return failed(`the pod ${resultsPod}: ${standing.trouble.sentence}`, { hint, whose: 'cluster' })
}

/** A container that dies is started again, with the same volume: that ends nothing, and runners hold what they measure until then. */
function withoutRestart(pod: PodView): PodView {
  const { status } = pod
  return status?.phase === 'Running' ? { ...pod, status: { ...status, containerStatuses: [] } } : pod
}

function startVerdict(
  runners: readonly RunnerState[],
  starter: Standing,
  { testRun, waitedMs, startMs }: DiagnoseOptions,
): Verdict {
  if (starter.at === 'ended') return { kind: 'running' }
  const isOver = waitedMs >= startMs
  const starterFailure = starterTrouble(starter)
  if (starterFailure !== null) {
    if (isOver || !starterFailure.mayHeal) return failed(starterFailure.sentence, starterFailure)
    return { kind: 'waiting', why: starterFailure.sentence }
  }
  const troubles = runners.filter((one) => one.at === 'troubled').map(({ trouble }) => trouble)
  const worst = troubles.find(({ mayHeal }) => !mayHeal) ?? troubles[0]
  if (worst !== undefined) {
    const found = failedRunners(worst, runners)
    return isOver || !worst.mayHeal ? found : { kind: 'waiting', why: found.sentence }
  }
  const awaited = awaitedOf(runners, starter, testRun?.status?.stage)
  if (!isOver && (awaited.withinMs === undefined || waitedMs < awaited.withinMs))
    return { kind: 'waiting', why: awaited.why }
  return failed(awaited.sentence, awaited)
}

type Awaited = { why: string; sentence: string; hint: string; whose: Failure['whose']; withinMs?: number }

/** What a load that has not begun waits for, where nothing is wrong that can be seen. */
function awaitedOf(runners: readonly RunnerState[], starter: Standing, stage: string | undefined): Awaited {
  const behind = runners.filter(({ at }) => at === 'waiting').map(({ runner }) => runner)
  if (stage === undefined)
    return {
      why: 'the operator to take the TestRun',
      sentence: 'no operator took the TestRun',
      hint: 'Does the operator run, and does it look at this namespace? `kubectl get pods -n k6-operator-system` shows it where it usually is.',
      whose: 'operator',
      withinMs: TAKEN_MS,
    }
  if (runners.some(({ at }) => at === 'unmade'))
    return {
      why: 'the operator to make the runners',
      sentence: 'the operator did not make all runners',
      hint: 'Is there a Job of the same name from before (`kubectl get jobs`)? The log of the operator tells more.',
      whose: 'operator',
    }
  if (behind.length > 0)
    return {
      why: `${runnersText(behind, runners.length)} to come up`,
      sentence: `${runnersText(behind, runners.length)} did not come up in time`,
      hint: 'Pulling an image may take longer: --start-timeout gives more time. `kubectl describe pods` tells more.',
      whose: 'cluster',
    }
  if (starter.at === 'unmade')
    return {
      why: 'the operator to find all runners ready',
      sentence: 'all runners are up, and the operator did not start them',
      hint: 'It must reach port 6565 of each: --operator-namespace says where it lives, for the NetworkPolicy.',
      whose: 'operator',
    }
  return {
    why: 'the starter to let them go',
    sentence: 'all runners are up, and the starter did not let them go',
    hint: '`kubectl describe pods` and the log of the starter’s pod tell more.',
    whose: 'cluster',
  }
}

function failedRunners(trouble: Trouble, runners: readonly RunnerState[]): Failure {
  const { sentence, hint, whose } = trouble
  const same = runners.filter((one) => 'trouble' in one && gist(one.trouble) === gist(trouble))
  const numbers = same.map(({ runner }) => runner)
  return {
    kind: 'failed',
    sentence: `${runnersText(numbers, runners.length)}: ${sentence}`,
    hint,
    whose,
    runner: same.find(({ at }) => at === 'failed')?.runner ?? null,
  }
}

function failed(sentence: string, { hint, whose }: Pick<Failure, 'hint' | 'whose'>): Failure {
  return { kind: 'failed', sentence, hint, whose, runner: null }
}

/** Of two runners that have the same trouble, ports and sizes may differ. */
function gist({ sentence }: Trouble): string {
  return sentence.replace(/\d+/g, '')
}
