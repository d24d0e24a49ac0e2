import { K6_PORT } from '../manifests/manifest-parts.ts'
import {
  findCondition,
  type JobParts,
  jobStanding,
  type PodView,
  type Problem,
  podStanding,
  rootCause,
  type Standing,
  type TestRunView,
} from './pod-standing.ts'

export type RunnerState = { runner: number; pod: string | null } & Standing

/** Next step: wait for what `why` names, continue, use the results, or give up. */
export type Verdict = { kind: 'waiting'; why: string } | { kind: 'running' } | { kind: 'ended' } | Failure

export type Failure = {
  kind: 'failed'
  sentence: string
  hint: string
  /** The runner whose log explains it, as its k6 exited with an error. */
  logRunner: number | null
}

export type Diagnosis = { runners: readonly RunnerState[]; verdict: Verdict }

type Waited = {
  namespace: string
  /** Since the run, or the pod, was made; and the limit for its start. */
  waitedMs: number
  startMs: number
}

export type DiagnoseOptions = JobParts &
  Waited & {
    /** Null: deleted. Its runners may still end. */
    testRun: TestRunView | null
    name: string
    parallelism: number
    resultsPod: string | null
    /** A stop was requested, so stopping is no failure. */
    isStopping: boolean
  }

/**
 * Returns what each runner of a load is doing, and what to do about it. It reads pods and Jobs: the stage of a TestRun is `finished`
 * whatever became of it, and stays `started` for ever if the starter fails.
 */
export function diagnose(options: DiagnoseOptions): Diagnosis {
  const { name, parallelism } = options
  const ofStarter = { ...options, isRunner: false, isStopping: false }
  const starter = jobStanding(`${name}-starter`, ofStarter)
  const runners = Array.from({ length: parallelism }, (_, index): RunnerState => {
    const ofRunner = { ...options, isRunner: true }
    const standing = jobStanding(`${name}-${index + 1}`, ofRunner)
    const isPaused = standing.at === 'running' && starter.at !== 'ended'
    return { runner: index + 1, ...(isPaused ? { pod: standing.pod, at: 'paused' } : standing) }
  })
  const verdict =
    testRunVerdict(options) ??
    firstFailure(runners, options) ??
    (runners.every(({ at }) => at === 'ended') ? ({ kind: 'ended' } as const) : null) ??
    resultsFailure(options) ??
    startVerdict(runners, starter, options)
  return { runners, verdict }
}

/** Returns what to do about a single pod that is to serve, which `role` names; `running`: it is ready. Null: it does not exist. */
export function diagnosePod(
  pod: PodView | null,
  options: Waited & Pick<JobParts, 'events'> & { role: string },
): Verdict {
  const { role, namespace, waitedMs, startMs } = options
  if (pod === null) return failed(`${role}: the pod was deleted`, 'Run it again.')
  const standing = podStanding(pod, { ...options, isRunner: false, isStopping: false })
  if ('problem' in standing) return judgeProblem(role, standing, options)
  const object = `pod/${pod.metadata.name}`
  const logs = `\`kubectl logs ${object} -n ${namespace}\` shows more.`
  if (standing.at === 'ended') return failed(`${role}: ${object} has exited with code 0`, logs)
  if (findCondition(pod, 'Ready', 'True') !== undefined) return { kind: 'running' }
  const why = `${role} to become ready`
  return waitedMs < startMs ? { kind: 'waiting', why } : failed(gaveUp(why, startMs), logs)
}

function testRunVerdict({ testRun, name, namespace, isStopping }: DiagnoseOptions): Verdict | null {
  if (testRun === null) {
    if (isStopping) return { kind: 'ended' }
    return failed(`testrun/${name} was deleted`, 'Run it again.')
  }
  if (testRun.status?.stage !== 'error') return null
  return failed(
    `testrun/${name}: stage error: the operator rejected it`,
    `\`kubectl describe testrun/${name} -n ${namespace}\` and the log of the operator show why.`,
  )
}

/** The first runner that failed, and all that failed for the same reason. */
function firstFailure(runners: readonly RunnerState[], options: Waited): Failure | null {
  const failures = runners.filter((one) => one.at === 'failed')
  const [first] = failures.sort((one, other) => (one.failedAt ?? '~').localeCompare(other.failedAt ?? '~'))
  return first === undefined ? null : runnersFailure(first.problem, runners, options)
}

function resultsFailure({ resultsPod, pods, events }: DiagnoseOptions): Failure | null {
  if (resultsPod === null) return null
  const lost = (says: string) =>
    failed(`pod/${resultsPod}: ${says}`, 'What runners had not sent to it is lost: run it again.')
  const pod = pods.find(({ metadata }) => metadata.name === resultsPod)
  if (pod === undefined) return lost('the pod was deleted')
  const standing = podStanding(withoutRestart(pod), { events, isRunner: false, isStopping: false })
  if (standing.at === 'ended') return lost('it has exited with code 0')
  return standing.at === 'failed' ? lost(formatProblem(standing.problem)) : null
}

/** A container that dies is restarted with the same volume and ends nothing: runners buffer until then. */
function withoutRestart(pod: PodView): PodView {
  const { status } = pod
  return status?.phase === 'Running' ? { ...pod, status: { ...status, containerStatuses: [] } } : pod
}

function startVerdict(runners: readonly RunnerState[], starter: Standing, options: DiagnoseOptions): Verdict {
  const { waitedMs, startMs } = options
  if (starter.at === 'ended') return { kind: 'running' }
  if ('problem' in starter) return judgeProblem('starter', starter, options)
  const problems = runners.flatMap((one) => (one.at === 'stuck' ? [one.problem] : []))
  const worst = problems.find(({ mayHeal }) => !mayHeal) ?? problems[0]
  if (worst !== undefined) {
    const failure = runnersFailure(worst, runners, options)
    return worst.mayHeal && waitedMs < startMs ? { kind: 'waiting', why: failure.sentence } : failure
  }
  const { why, hint, withinMs = startMs } = findAwaited(runners, starter, options)
  const limitMs = Math.min(withinMs, startMs)
  return waitedMs < limitMs ? { kind: 'waiting', why } : failed(gaveUp(why, limitMs), hint)
}

/** The operator looks at a TestRun at once, if it runs and watches the namespace. */
const TAKEN_MS = 30_000

type Awaited = { why: string; hint: string; withinMs?: number }

/** Returns what a load that has not begun waits for if the cluster reports nothing wrong. */
function findAwaited(
  runners: readonly RunnerState[],
  starter: Standing,
  { testRun, name, namespace }: DiagnoseOptions,
): Awaited {
  const behind = runners.filter(({ at }) => at === 'waiting')
  if (testRun?.status?.stage === undefined)
    return {
      why: `the operator to take testrun/${name}`,
      hint: `Check that the operator runs (\`kubectl get pods -n k6-operator-system\`), and that it watches namespace ${namespace}.`,
      withinMs: TAKEN_MS,
    }
  if (runners.some(({ at }) => at === 'unmade'))
    return {
      why: 'the operator to make the runners',
      hint: `Check for an older Job of the same name (\`kubectl get jobs -n ${namespace}\`), and the log of the operator.`,
    }
  if (behind.length > 0)
    return {
      why: `${runnersText(behind, runners.length)} to come up`,
      hint: `If pulling the image takes longer, raise --start-timeout. \`kubectl get events -n ${namespace}\` shows more.`,
    }
  if (starter.at === 'unmade')
    return {
      why: 'the operator to find all runners ready',
      hint: `The operator must reach port ${K6_PORT} of each runner: --operator-namespace names its namespace for the NetworkPolicy.`,
    }
  return { why: 'the starter to start the runners', hint: seeDescribe(`job/${name}-starter`, namespace) }
}

function judgeProblem(
  who: string,
  { problem }: Extract<Standing, { problem: Problem }>,
  { namespace, waitedMs, startMs }: Waited,
): Verdict {
  const sentence = `${who}: ${problem.object}: ${formatProblem(problem)}`
  if (problem.mayHeal && waitedMs < startMs) return { kind: 'waiting', why: sentence }
  return failed(sentence, hintFor(who, problem, namespace))
}

function runnersFailure(problem: Problem, runners: readonly RunnerState[], { namespace }: Waited): Failure {
  const same = runners.filter((one) => 'problem' in one && isSame(one.problem, problem))
  const who = runnersText(same, runners.length)
  const failedFirst = same.find(({ at }) => at === 'failed')
  return {
    ...failed(`${who}: ${problem.object}: ${formatProblem(problem)}`, hintFor(who, problem, namespace)),
    logRunner: problem.see === 'log' ? (failedFirst?.runner ?? null) : null,
  }
}

function isSame(one: Problem, other: Problem): boolean {
  const [gist, otherGist] = [one, other].map(({ says }) => rootCause(says).replace(/\d+/g, ''))
  return gist === otherGist
}

function formatProblem({ says, event }: Problem): string {
  return event === '' ? says : `${says}; last event: ${event}`
}

/** Options of Breakwater, which kubectl does not know, by who is affected and what the cluster says. */
const OPTIONS: readonly [pattern: RegExp, hint: string][] = [
  [
    /^starter: (?:ErrImage|ImagePull|InvalidImage|StartError|exit code)/,
    '--starter-image must name an image with `sh` and `curl` that nodes have or can pull.',
  ],
  [/: (?:ErrImage|ImagePull|InvalidImage)/, 'Check --image, --image-pull-policy and --image-pull-secret.'],
  [/: StartError/, '--image must name an image of Breakwater for these nodes.'],
  [/: OOMKilled/, 'Raise --memory or --parallelism.'],
  [/anti-affinity/, '--one-runner-per-node needs a node for each runner.'],
  [/persistentvolumeclaim/, '--results claim=NAME needs a claim that all runners can mount.'],
  [/quota|usage per|Insufficient/, 'Lower --cpu, --memory or --parallelism.'],
]

const SEE: Readonly<Record<Problem['see'], (object: string, namespace: string) => string>> = {
  describe: seeDescribe,
  events: (object, namespace) =>
    `Run it again. \`kubectl get events -n ${namespace} --field-selector involvedObject.name=${object.replace(/^.*\//, '')}\` shows more.`,
  log: () => 'The log is in k6.stderr.log of the run folder.',
}

function hintFor(who: string, { object, says, see }: Problem, namespace: string): string {
  const options = OPTIONS.find(([pattern]) => pattern.test(`${who}: ${says}`))?.[1]
  const more = SEE[see](object, namespace)
  return options === undefined ? more : `${options} ${more}`
}

function seeDescribe(object: string, namespace: string): string {
  return `\`kubectl describe ${object} -n ${namespace}\` shows more; \`k8s run --no-cleanup\` leaves it there.`
}

function failed(sentence: string, hint: string): Failure {
  return { kind: 'failed', sentence, hint, logRunner: null }
}

function gaveUp(why: string, ms: number): string {
  return `gave up after ${ms / 1000} s of waiting for ${why}`
}

/** Such as `runner 2`, `runners 1, 2 and 4`, `both runners`, `all 8 runners` or `6 of 10 runners`. */
function runnersText(some: readonly RunnerState[], parallelism: number): string {
  const numbers = some.map(({ runner }) => runner)
  if (numbers.length === 1) return `runner ${numbers[0]}`
  if (numbers.length === parallelism) return parallelism === 2 ? 'both runners' : `all ${parallelism} runners`
  if (numbers.length > 4) return `${numbers.length} of ${parallelism} runners`
  return `runners ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`
}
