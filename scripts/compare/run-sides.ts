import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { TrialResult } from '../../contract/capacity.ts'
import type { Comparison } from '../../contract/comparison.ts'
import type { LatencyMs } from '../../contract/report.ts'
import { figure } from '../../reports/objective-text.ts'
import { renderRun } from '../../reports/render-run.ts'
import type { Io } from '../io.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import type { Generator } from '../load/run-load.ts'
import { type LoadUnderWay, type TrialProgress, trialText } from '../load/show-trials.ts'
import { type ConstantLoad, runConstantLoad } from '../load/with-trials.ts'
import { followLoad, showProgress } from '../progress/show-progress.ts'
import { openRunFolder, type RunFolder } from '../runs/run-folder.ts'
import type { PairDirs, PairOrder, RunJudge, SideName } from './judge-runs.ts'
import type { PlannedSide } from './side.ts'

const OVERHEAD_SECONDS = 3

/**
 * Runs both sides in pairs, each run in its own folder inside one folder, until the judge has enough, and returns its
 * comparison. After Ctrl-C the current run ends and the completed ones are compared.
 */
export async function runSides(
  options: SidesOptions,
): Promise<{ comparison: Comparison; folder: RunFolder }> {
  const startedAtMs = Date.now()
  const folder = await openComparisonFolder(options, new Date(startedAtMs))
  try {
    return { comparison: await runPairs(options, { folder, startedAtMs }), folder }
  } catch (error) {
    await folder.breakOff(error)
    throw error
  }
}

type SidesOptions = {
  sides: Record<SideName, PlannedSide>
  orders: readonly PairOrder[]
  judge: RunJudge
  out: string | null
  command: string
  generator: Generator
  io: Io
}

async function runPairs(
  options: SidesOptions,
  { folder, startedAtMs }: { folder: RunFolder; startedAtMs: number },
): Promise<Comparison> {
  const { sides, orders, judge, io } = options
  const { warmUpSeconds, seconds: judgedSeconds } = sides.a.plan.constantLoad
  const runs = orders.length * 2
  const limit = judge.mayStopEarly ? 'at most ' : ''
  const each = warmUpSeconds + judgedSeconds
  const planned = each + OVERHEAD_SECONDS
  io.log(`${limit}${runs} runs of ${each} s: ${limit}about ${timeText(runs * planned)}`)
  const progress = showTurns(io, `${limit}about `)
  let [started, completed, isEnough] = [0, 0, false]
  const runTurn = async (side: SideName, pair: number, runsLeft: number): Promise<string | undefined> => {
    const what = `run ${started + 1} of ${limit}${runs}: ${side.toUpperCase()}, ${sides[side].label}`
    // Uses the mean of the previous runs: a busy machine starts a stub more slowly.
    const perTurn = started === 0 ? planned : (Date.now() - startedAtMs) / 1000 / started
    progress.begin(what, perTurn * runsLeft)
    started += 1
    const out = folder.file(join(side, String(pair)))
    const isCompleted = await runOnce({ ...options, side: sides[side], out, what, onLoad: progress.onLoad })
    completed += isCompleted ? 1 : 0
    return isCompleted ? out : undefined
  }
  try {
    for (const [index, [first, second]] of orders.entries()) {
      if (io.interrupted.aborted) break
      const left = runs - index * 2
      const dirs: PairDirs = { [first]: await runTurn(first, index + 1, left) }
      const isHopeless = judge.mayStopEarly && dirs[first] === undefined
      if (!io.interrupted.aborted && !isHopeless) dirs[second] = await runTurn(second, index + 1, left - 1)
      isEnough = await judge.takePair(dirs)
      if (isEnough) break
    }
  } finally {
    await progress.stop()
  }
  const isInterrupted = io.interrupted.aborted
  const comparison = await judge.compare({ isInterrupted })
  const isWhole = completed === (isEnough ? started : runs)
  await folder.finish(describeEnd({ isInterrupted, isWhole, startedAtMs }))
  return comparison
}

function openComparisonFolder(
  { sides, out, command, generator, io }: SidesOptions,
  now: Date,
): Promise<RunFolder> {
  const { a, b } = sides
  const { baseUrl, wsUrl } = a.plan.target?.profile ?? { baseUrl: 'stub', wsUrl: 'stub' }
  return openRunFolder(
    { ...a.plan, job: 'compare', command, out, slo: null },
    {
      io,
      profile: { name: `${a.label}, ${b.label}`, baseUrl, wsUrl, control: null },
      k6Version: generator.version,
      now,
    },
  )
}

function describeEnd(options: { isInterrupted: boolean; isWhole: boolean; startedAtMs: number }): K6Run {
  const { isInterrupted, isWhole, startedAtMs } = options
  return {
    exitCode: isWhole ? 0 : null,
    signal: null,
    reason: isInterrupted ? 'interrupted' : 'finished',
    meaning: isWhole ? 'all runs completed' : 'some runs did not complete',
    startedAtMs,
    finishedAtMs: Date.now(),
  }
}

export function resultText(result: TrialResult | null): string {
  if (result === null) return 'nothing was measured'
  if (result.seconds === 0) return 'less than a whole second was measured'
  const latency = result.p50Ms === null ? '' : `, p50 ${figureMs(result.p50Ms)}`
  return `${figure(result.throughput)} iterations/s served${latency}`
}

function figureMs(ms: Exclude<LatencyMs, null>): string {
  return ms === 'infinite' ? ms : `${figure(ms)} ms`
}

function showTurns(
  io: Io,
  about: string,
): {
  begin(what: string, secondsLeft: number): void
  onLoad(load: LoadUnderWay): void
  stop(): Promise<void>
} {
  let now: { what: string; endMs: number } | undefined
  let load = followLoad([])
  const { stop } = showProgress(io, {
    look: () => load.look(),
    parts() {
      if (now === undefined) return []
      const left = (now.endMs - performance.now()) / 1000
      return [now.what, ...(left < 1 ? [] : [`${about}${timeText(left)} left`]), ...load.parts()]
    },
  })
  return {
    begin(what, secondsLeft) {
      now = { what, endMs: performance.now() + secondsLeft * 1000 }
      load = followLoad([])
    },
    onLoad({ seriesFiles }) {
      load = followLoad(seriesFiles)
    },
    stop,
  }
}

type TurnOptions = {
  side: PlannedSide
  out: string
  what: string
  generator: Generator
  io: Io
  onLoad: (load: LoadUnderWay) => void
}

/** Runs a side once and prints the result. Returns false if the run did not complete; that does not stop the others. */
async function runOnce(options: TurnOptions): Promise<boolean> {
  const { what, io } = options
  const { ended, result, problem } = await measureOnce(options)
  if (ended === 'finished') io.log(`${what}: ${resultText(result)}`)
  else io.stderr(`${what}: ${ended}, and left out${problem}\n`)
  return ended === 'finished'
}

/** `problem` follows "left out" in the message; empty if the run succeeded. */
type Turn = Omit<ConstantLoad, 'folder'> & { problem: string }

/** Starts a new stub for each run, so that neither side's is older. */
async function measureOnce(options: TurnOptions): Promise<Turn> {
  const { side, out, generator, io, onLoad } = options
  // Kept only for failed runs. A successful run is summed up by its figures; its own output is about trials and
  // objectives.
  const said: string[] = []
  const say = (line: string) => void said.push(`${line}\n`)
  const muted: Io = { ...io, stderr: (text) => void said.push(text), log: say }
  const progress: TrialProgress = {
    doing: ({ load }) => load && onLoad(load),
    trial: (result, why) => say(trialText(result, why)),
    note: say,
    stop: async () => {},
  }
  try {
    await side.mustRespond()
    const worlds = await openLoadWorld({ ...side.plan, faults: side.faults }, { ...io, log: say })
    try {
      const named = { ...worlds, profile: { ...worlds.profile, name: nameTarget(side, worlds.profile.name) } }
      const { folder, ended, result } = await runConstantLoad(
        { ...side.plan, out },
        { generator, worlds: named, io: muted, progress },
      )
      await renderRun({ dir: folder.dir })
      return { ended, result, problem: ended === 'failed' ? `:\n${said.join('').trimEnd()}` : '' }
    } finally {
      await worlds.close()
    }
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    const ended = error.exitCode === EXIT.interrupted ? 'interrupted' : 'failed'
    return { ended, result: null, problem: `: ${error.message}` }
  }
}

function nameTarget({ label, faults }: PlannedSide, name: string): string {
  return faults === null ? name : label
}

export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 120) return `${whole} s`
  const minutes = Math.round(whole / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
