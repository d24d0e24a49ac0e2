import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { TrialResult } from '../../contract/capacity.ts'
import type { Comparison } from '../../contract/comparison.ts'
import type { LatencyMs } from '../../contract/report.ts'
import { compareFolders } from '../../reports/compare/compare-folders.ts'
import { figure } from '../../reports/objective-text.ts'
import { renderRun } from '../../reports/render-run.ts'
import type { Io } from '../io.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import type { Generator } from '../load/run-load.ts'
import { type LoadUnderWay, type TrialProgress, trialText } from '../load/show-trials.ts'
import { type ConstantLoad, runConstantLoad } from '../load/with-trials.ts'
import { followLoad, showProgress } from '../progress/show-progress.ts'
import { HOW_SINGLE } from '../runs/print-comparison.ts'
import { openRunFolder, type RunFolder } from '../runs/run-folder.ts'
import type { PlannedSide } from './side.ts'

const OVERHEAD_SECONDS = 3

/**
 * Runs both sides in turn, each run in its own folder inside one folder, and compares the completed runs. After Ctrl-C
 * the current run ends and the completed ones are compared.
 */
export async function runSides(options: {
  sides: Record<SideName, PlannedSide>
  repeat: number
  allowSingleRun: boolean
  out: string | null
  command: string
  generator: Generator
  io: Io
}): Promise<{ comparison: Comparison; folder: RunFolder }> {
  const { sides, repeat, generator, io } = options
  const { warmUpSeconds, seconds: judgedSeconds } = sides.a.plan.constantLoad
  const startedAtMs = Date.now()
  const folder = await openComparisonFolder(options, new Date(startedAtMs))
  const turns = interleaved(repeat)
  const each = warmUpSeconds + judgedSeconds
  const planned = each + OVERHEAD_SECONDS
  io.log(`${turns.length} runs of ${each} s: about ${timeText(turns.length * planned)}`)
  const progress = showTurns(io)
  const dirs: Record<SideName, string[]> = { a: [], b: [] }
  try {
    for (const [index, { side, number }] of turns.entries()) {
      if (io.interrupted.aborted) break
      const { label } = sides[side]
      const what = `run ${index + 1} of ${turns.length}: ${side.toUpperCase()}, ${label}`
      // Uses the mean of the previous runs: a busy machine starts a stub more slowly.
      const perTurn = index === 0 ? planned : (Date.now() - startedAtMs) / 1000 / index
      progress.begin(what, perTurn * (turns.length - index))
      const out = folder.file(join(side, String(number)))
      const { onLoad } = progress
      const { ended, result, problem } = await runOnce({ side: sides[side], out, generator, io, onLoad })
      if (ended === 'finished') dirs[side].push(out)
      if (ended === 'finished') io.log(`${what}: ${resultText(result)}`)
      else io.stderr(`${what}: ${ended}, and left out${problem}\n`)
    }
  } finally {
    await progress.stop()
  }
  const comparison = await compareFolders({
    a: { label: sides.a.label, dirs: dirs.a },
    b: { label: sides.b.label, dirs: dirs.b },
    allowSingleRun: options.allowSingleRun,
    acrossTargets: true,
    notes: options.allowSingleRun || dirs.a.length + dirs.b.length > 2 ? [] : [HOW_SINGLE],
  })
  const isWhole = dirs.a.length + dirs.b.length === turns.length
  await folder.finish(describeEnd({ isInterrupted: io.interrupted.aborted, isWhole, startedAtMs }))
  return { comparison, folder }
}

function openComparisonFolder(
  { sides, out, command, generator, io }: Parameters<typeof runSides>[0],
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

function resultText(result: TrialResult | null): string {
  if (result === null) return 'nothing was measured'
  const latency = result.p50Ms === null ? '' : `, p50 ${figureMs(result.p50Ms)}`
  return `${figure(result.throughput)} iterations/s served${latency}`
}

function figureMs(ms: Exclude<LatencyMs, null>): string {
  return ms === 'infinite' ? ms : `${figure(ms)} ms`
}

type SideName = 'a' | 'b'

/** Orders the runs ABBA, so that slow changes, such as the machine's temperature, affect both sides alike. */
export function interleaved(repeat: number): { side: SideName; number: number }[] {
  return Array.from({ length: repeat }, (_, index) => {
    const order: SideName[] = index % 2 === 0 ? ['a', 'b'] : ['b', 'a']
    return order.map((side) => ({ side, number: index + 1 }))
  }).flat()
}

function showTurns(io: Io): {
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
      return [now.what, ...(left < 1 ? [] : [`about ${timeText(left)} left`]), ...load.parts()]
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

/** `problem` follows "left out" in the message; empty if the run succeeded. */
type Turn = Omit<ConstantLoad, 'folder'> & { problem: string }

/** Starts a new stub for each run, so that neither side's is older. A failed run does not stop the others. */
async function runOnce(options: {
  side: PlannedSide
  out: string
  generator: Generator
  io: Io
  onLoad: (load: LoadUnderWay) => void
}): Promise<Turn> {
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
