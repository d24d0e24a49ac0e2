import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Comparison } from '../../contract/comparison.ts'
import { compareFolders } from '../../reports/compare/compare-folders.ts'
import { renderRun } from '../../reports/render-run.ts'
import type { Io } from '../io.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { type HeldLoad, holdLoad } from '../load/hold-load.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import type { Generator } from '../load/with-generator.ts'
import { openRunFolder, type RunFolder } from '../run-folder.ts'
import { interleaved, type SideName } from './interleaved.ts'
import type { PlannedSide } from './plan-side.ts'

/** What a run takes beyond its load: to start the stub, k6 and its VUs, and to write its report. */
const OVERHEAD_SECONDS = 3

/**
 * Runs both sides in turn, each run into a folder of its own inside one folder, and compares those that came to their end.
 * At Ctrl-C the run under way ends, and what is known is compared.
 */
export async function runSides(options: {
  sides: Record<SideName, PlannedSide>
  repeat: number
  single: boolean
  /** The comparison's own folder; null: a new one under runs/. */
  out: string | null
  command: string
  generator: Generator
  io: Io
}): Promise<{ comparison: Comparison; folder: RunFolder }> {
  const { sides, repeat, generator, io } = options
  const { warmUpSeconds, seconds: judgedSeconds } = sides.a.plan.heldLoad
  const startedAtMs = Date.now()
  const folder = await openComparisonFolder(options, new Date(startedAtMs))
  const turns = interleaved(repeat)
  const each = warmUpSeconds + judgedSeconds
  io.stderr(`${turns.length} runs of ${each} s: some ${timeText(turns.length * (each + OVERHEAD_SECONDS))}\n`)
  const limited: string[] = []
  const dirs: Record<SideName, string[]> = { a: [], b: [] }
  for (const [index, { side, number }] of turns.entries()) {
    if (io.interrupted.aborted) break
    const { label } = sides[side]
    io.stderr(`run ${index + 1} of ${turns.length}: ${side.toUpperCase()}, ${label}\n`)
    const out = folder.file(join(side, String(number)))
    const { ended, result } = await runOnce({ side: sides[side], out, generator, io })
    if (ended === 'finished') dirs[side].push(out)
    else io.stderr(`run ${index + 1}: ${ended}, and left out\n`)
    if (result?.outcome === 'generator') limited.push(`${side}/${number} (${result.because})`)
  }
  const comparison = await compareFolders({
    a: { label: sides.a.label, dirs: dirs.a },
    b: { label: sides.b.label, dirs: dirs.b },
    single: options.single,
    acrossTargets: true,
    notes:
      limited.length === 0 ? [] : [`The load generator gave out, not the target: ${limited.join(', ')}.`],
  })
  const isWhole = dirs.a.length + dirs.b.length === turns.length
  await folder.finish(endOf({ isInterrupted: io.interrupted.aborted, isWhole, startedAtMs }))
  return { comparison, folder }
}

/** A stub is started anew for each run, so that none is older than the other. What goes wrong with one run ends no other. */
async function runOnce(options: {
  side: PlannedSide
  out: string
  generator: Generator
  io: Io
}): Promise<Omit<HeldLoad, 'folder'>> {
  const { side, out, generator, io } = options
  try {
    await side.mustAnswer()
    const worlds = await openLoadWorld({ ...side.plan, faults: side.faults })
    try {
      const named = { ...worlds, profile: { ...worlds.profile, name: nameOf(side, worlds.profile.name) } }
      const { folder, ...held } = await holdLoad({ ...side.plan, out }, { generator, worlds: named, io })
      await renderRun({ dir: folder.dir })
      return held
    } finally {
      await worlds.close()
    }
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    io.stderr(`${error.message}\n`)
    return { ended: error.exitCode === EXIT.interrupted ? 'interrupted' : 'failed', result: null }
  }
}

/** A stub with faults is another target than one without. */
function nameOf({ label, faults }: PlannedSide, name: string): string {
  return faults === null ? name : label
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
      cwd: io.cwd,
      profile: { name: `${a.label}, ${b.label}`, baseUrl, wsUrl, control: null },
      k6Version: generator.version,
      now,
    },
  )
}

function endOf(options: { isInterrupted: boolean; isWhole: boolean; startedAtMs: number }): K6Run {
  const { isInterrupted, isWhole, startedAtMs } = options
  return {
    exitCode: isWhole ? 0 : null,
    signal: null,
    reason: isInterrupted ? 'interrupted' : 'finished',
    meaning: isWhole ? 'all runs came to their end' : 'not all runs came to their end',
    startedAtMs,
    finishedAtMs: Date.now(),
  }
}

function timeText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
