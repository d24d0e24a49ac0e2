import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { isLoopback } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { getAxisUnit, type TrialResult } from '../../contract/capacity.ts'
import { requestsPerIteration } from '../../contract/mix-time.ts'
import type { Profile } from '../../contract/profile.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { OfferedLoad, OfferedSockets } from '../../contract/scenario-config.ts'
import type { Io } from '../io.ts'
import { listSeriesFiles } from '../k6/instances.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { openRunFolder, type RunFolder } from '../runs/run-folder.ts'
import type { Worlds } from '../runs/worlds.ts'
import { judgeFacts, requestsIn } from './judge-trial.ts'
import { type ConstantLoadPlan, type LoadPlan, vusFor } from './plan-load.ts'
import type { Generator } from './run-load.ts'
import { runTrial, type TrialPart } from './run-trial.ts'
import { type Doing, showTrials, type TrialProgress } from './show-trials.ts'
import { judgeHistory, openTrialFiles } from './trial-files.ts'

export type TrialsParts = {
  plan: LoadPlan
  generator: Generator
  worlds: Worlds
  folder: RunFolder
  io: Io
  progress?: TrialProgress
}

export type WantedLoad = {
  judged: readonly TrialPart[]
  stages: OfferedLoad['stages']
  rateFrom: number
  why: string
  /** Idle time before the load. */
  pauseSeconds: number
  /** Abort when the objectives can no longer be met. */
  endsHopeless: boolean
  /** Omitted: clients arrive at the rate. */
  sockets?: OfferedSockets
}

/** Limits of a series of trials, and their use by the caller's clock, including starts and pauses. */
export type Budget = {
  secondsMax: number
  secondsUsed: number
  requestsMax: number | null
  requestsUsed: number
}

export type Trials = {
  results(): readonly TrialResult[]
  budget(): Budget
  /** Waits until the target responds as fast as at first, if the last trial overloaded it. */
  waitForRecovery(): Promise<void>
  /** Offers one load. It may end early; its facts then say why. */
  run(load: WantedLoad): Promise<void>
}

/** Longest time for a target to recover. */
const RECOVERY_SECONDS_MAX = 15
/** Margin for clients that send more than the mix's average. */
const REQUESTS_ROOM = 2

/**
 * Runs trials in turn and saves each one as it ends. Returns how the run ended, for run.json: a full disk ends it like
 * Ctrl-C, with the results so far.
 */
export async function withTrials(parts: TrialsParts, use: (trials: Trials) => Promise<void>): Promise<K6Run> {
  const { plan, generator, worlds, folder, io } = parts
  const startedAtMs = Date.now()
  const files = await openTrialFiles(folder, { k6: generator.version, startMs: startedAtMs })
  const ca = worlds.ca === null ? null : await readFile(worlds.ca, 'utf8')
  const calm = generator.reachesTarget ? await createRecoveryCheck({ profile: worlds.profile, ca }) : NO_CHECK
  const results: TrialResult[] = []
  let requestsUsed = 0
  let lastRun: K6Run | undefined
  const budget = (): Budget => ({
    secondsMax: plan.durationSecondsMax,
    secondsUsed: (Date.now() - startedAtMs) / 1000,
    requestsMax: plan.requestsMax ?? null,
    requestsUsed: requestsUsed + calm.requests(),
  })
  const secondsLeft = () => plan.durationSecondsMax - budget().secondsUsed
  const progress = parts.progress ?? showTrials(io, plan.job === 'capacity' ? budget : null)
  const perIteration = requestsPerIteration(plan.mix)

  const waitForRecovery = async () => {
    const last = results.at(-1)
    if (last === undefined || last.outcome === 'pass') return
    progress.doing({ what: 'waiting for the target to recover' })
    await calm.wait({ secondsMax: Math.min(RECOVERY_SECONDS_MAX, secondsLeft()), signal: io.interrupted })
  }
  const run = async (wanted: WantedLoad) => {
    await wait(wanted.pauseSeconds * 1000, undefined, { signal: io.interrupted }).catch(() => {})
    if (io.interrupted.aborted) return
    const trial = results.length + 1
    const rate = Math.max(wanted.rateFrom, ...wanted.stages.map((stage) => stage.rate))
    const { requestsMax, requestsUsed: used } = budget()
    const trialFolder = await files.begin(trial)
    const doing: Doing = {
      what: `trial ${trial}: ${rate}${wanted.sockets === undefined ? '/s' : ` ${getAxisUnit(wanted.judged[0]?.axis)}`}, ${wanted.why}`,
      load: {
        seconds: wanted.stages.reduce((sum, stage) => sum + stage.seconds, 0),
        seriesFiles: listSeriesFiles(trialFolder, plan.instances),
      },
    }
    progress.doing(doing)
    const made = await runTrial(
      { generator, worlds, plan, env: io.env, ca },
      {
        onWaiting: (why) =>
          progress.doing(why === null ? doing : { what: `trial ${trial}: waiting for ${why}` }),
        trial,
        judged: wanted.judged,
        load: {
          stages: wanted.stages,
          rateFrom: wanted.rateFrom,
          arrivals: { kind: plan.arrivals.kind, file: plan.arrivals.file },
          // Repeated trials at one rate do not repeat the same arrivals.
          seed: plan.seed + trial,
          vusMax:
            wanted.sockets?.vus ??
            Math.max(plan.instances, vusFor({ mix: plan.mix, slo: plan.slo, rate, vusLimit: plan.vusMax })),
          instances: plan.instances,
          sockets: wanted.sockets,
        },
        folder: trialFolder,
        findingsFile: folder.file(RUN_FILES.findings),
        requestsPerIteration: perIteration === 1 ? 1 : perIteration * REQUESTS_ROOM,
        requestsLeft: requestsMax === null ? null : requestsMax - used,
        secondsLeft: secondsLeft(),
        endsHopeless: wanted.endsHopeless,
        signal: io.interrupted,
      },
    )
    lastRun = made.run
    const { seriesFiles } = made.run
    requestsUsed += await requestsIn(seriesFiles)
    const judged = await judgeFacts(made.facts, {
      files: seriesFiles,
      slo: plan.slo,
      isTargetLocal: isLoopback(worlds.profile.baseUrl),
    })
    results.push(...judged)
    const { notes } = await files.finish(made.facts, made.run)
    for (const result of judged) progress.trial(result, wanted.why)
    for (const note of [...made.run.notes, ...notes]) progress.note(note)
    if (made.targetProblem !== null && trial === 1)
      progress.note(`no metrics of the target: ${made.targetProblem}`)
  }
  let failure: BreakwaterError | undefined
  try {
    await use({ results: () => results, budget, waitForRecovery, run })
    await judgeHistory(folder, { rules: plan.rules, io })
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    failure = error
  } finally {
    await progress.stop()
    await (failure === undefined ? files.end(Date.now()) : files.close())
  }
  if (failure !== undefined)
    io.stderr(`${failure.message}\n${failure.hint === undefined ? '' : `  ${failure.hint}\n`}`)
  return summarizeEnd({ lastRun, failure, startedAtMs, results, isInterrupted: io.interrupted.aborted })
}

/** Ended by the user, by a failure or normally. A k6 that was stopped early did not fail. */
function summarizeEnd(options: {
  lastRun: K6Run | undefined
  failure: BreakwaterError | undefined
  startedAtMs: number
  results: readonly TrialResult[]
  isInterrupted: boolean
}): K6Run {
  const { lastRun, failure, startedAtMs, results, isInterrupted } = options
  const shared = { signal: null, startedAtMs, finishedAtMs: Date.now() }
  if (isInterrupted) return { ...shared, exitCode: 0, reason: 'interrupted', meaning: 'interrupted' }
  if (failure !== undefined)
    return { ...shared, exitCode: null, reason: 'finished', meaning: failure.message }
  if (lastRun !== undefined && results.at(-1)?.ended === 'crashed') return { ...lastRun, ...shared }
  return { ...shared, exitCode: 0, reason: 'finished', meaning: 'finished' }
}

/** The start of runners takes longer than an exchange needs to recover. */
const NO_CHECK: RecoveryCheck = { requests: () => 0, wait: async () => {} }

const PATH = '/tokens'
const TIMEOUT_MS = 5000
const PAUSE_MS = 200
const CALM_FACTOR = 2
const CALM_BESIDE_MS = 20
const CALM_ANSWERS = 2

/** Decides whether a target has recovered: it responds about as fast as before any load. */
type RecoveryCheck = {
  requests(): number
  /** Waits for recovery, at most `secondsMax` or until the signal. Never throws: trials judge a failing target. */
  wait(options: { secondsMax: number; signal: AbortSignal }): Promise<void>
}

export async function createRecoveryCheck(options: {
  profile: Profile
  ca: string | null
}): Promise<RecoveryCheck> {
  let requests = 0
  const measure = () => {
    requests++
    return measureResponseMs(options)
  }
  const first = [await measure(), await measure(), await measure()].sort((a, b) => a - b)[1] ?? 0
  const calmMs = Math.max(CALM_FACTOR * first, first + CALM_BESIDE_MS)
  return {
    requests: () => requests,
    async wait({ secondsMax, signal }) {
      const endMs = performance.now() + secondsMax * 1000
      for (let calm = 0; calm < CALM_ANSWERS && performance.now() < endMs && !signal.aborted; ) {
        calm = (await measure()) <= calmMs ? calm + 1 : 0
        if (calm === 0) await wait(PAUSE_MS, undefined, { signal }).catch(() => {})
      }
    },
  }
}

/** Any response counts; without one, the timeout does. */
async function measureResponseMs({ profile, ca }: { profile: Profile; ca: string | null }): Promise<number> {
  const { baseUrl, headers, origin } = profile
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${PATH}`)
  const startMs = performance.now()
  const request = (url.protocol === 'https:' ? httpsGet : httpGet)(url, {
    headers: { ...headers, ...(origin === null ? {} : { Origin: origin }) },
    ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    const [response] = await once(request, 'response')
    response.resume()
    await once(response, 'end')
    return performance.now() - startMs
  } catch {
    return TIMEOUT_MS
  } finally {
    request.on('error', () => {}).destroy()
  }
}

export type ConstantLoad = {
  folder: RunFolder
  ended: 'finished' | 'interrupted' | 'failed'
  result: TrialResult | null
}

/**
 * Holds one rate and saves the measurements in a run folder; renders nothing and writes only to stderr. May be called
 * repeatedly, each time with another `out`.
 */
export async function runConstantLoad(
  plan: ConstantLoadPlan,
  { openFolder, ...parts }: Omit<TrialsParts, 'plan' | 'folder'> & { openFolder?: () => Promise<RunFolder> },
): Promise<ConstantLoad> {
  const { io, worlds, generator } = parts
  const { rate, warmUpSeconds, seconds } = plan.constantLoad
  const folder =
    (await openFolder?.()) ??
    (await openRunFolder(plan, {
      io,
      profile: worlds.profile,
      k6Version: generator.version,
      now: new Date(),
    }))
  let result: TrialResult | null = null
  const run = await withTrials({ ...parts, plan, folder }, async (trials) => {
    await trials.run({
      judged: [{ phase: 'stage', rate, rateFrom: null, warmUpSeconds, seconds }],
      stages: [{ seconds: warmUpSeconds + seconds, rate }],
      rateFrom: rate,
      why: 'constant rate',
      pauseSeconds: 0,
      endsHopeless: false,
    })
    result = trials.results()[0] ?? null
  }).catch(async (error: unknown) => {
    await folder.breakOff(error)
    throw error
  })
  await folder.finish(run)
  if (run.reason === 'interrupted') return { folder, ended: 'interrupted', result }
  return { folder, ended: run.exitCode === 0 ? 'finished' : 'failed', result }
}
