/** `breakwater compare`: whether B got worse than A, by runs that are there, or by runs of both made in turn. */
import { realpath } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { BreakwaterError, type ExitCode } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { compareFolders } from '../../reports/compare/compare-folders.ts'
import { readRun } from '../../reports/run-file.ts'
import { runSides } from '../compare/run-sides.ts'
import { mustConfirmSides, planSide, readSide, type Side } from '../compare/side.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { findGenerator } from '../load/run-load.ts'
import { claimFolder } from '../make-folder.ts'
import { findBaseline } from '../past-runs/find-baseline.ts'
import { HOW_SINGLE, tellComparison } from '../runs/tell-comparison.ts'
import { commandLine } from '../terminal-text.ts'

export type CompareOptions = {
  io: Io
  /** Folders, or targets with `run`; with `baseline` the first alone, which is then B. */
  a: string | undefined
  b: string | undefined
  baseline?: string
  single?: true
  /** Two targets are compared on purpose. */
  acrossTargets?: true
  run?: true
  repeat: number
  rate?: number
  duration: number
  warmUp: number
  mix: string
  world: string
  seed: number
  choices: ChoiceSetName
  /** The hosts that the command line confirms. */
  confirm?: readonly string[]
  maxVus: number
  instances: number
  out?: string
  json?: true
}

/**
 * Answers 0 where nothing is shown to be worse, 1 where something is, 3 where nothing could be compared. Throws a
 * BreakwaterError: usage for bad options, folders that hold no runs, or runs of another kind than their baseline.
 */
export async function runCompare(options: CompareOptions): Promise<ExitCode> {
  return options.run ? compareByRunning(options) : compareWhatIsThere(options)
}

async function compareByRunning(options: CompareOptions): Promise<ExitCode> {
  const { io, rate, a, b, repeat } = options
  if (a === undefined || b === undefined) {
    throw new BreakwaterError('compare --run takes two targets, A and B', {
      hint: 'Each is the file of a target profile, `stub`, or `stub:PLAN` with a plan of fixtures/faults.',
    })
  }
  if (rate === undefined) {
    throw new BreakwaterError('compare --run: at which load? --rate is not given', {
      hint: 'Such as --rate 50, in iterations a second: below what both can serve, or only the queue is compared.',
    })
  }
  const planned = { ...options, rate }
  await mustConfirmSides([a, b], options)
  const sides = { a: await planSide(a, planned), b: await planSide(b, planned) }
  const { comparison, folder } = await runSides({
    sides,
    repeat,
    single: options.single === true,
    out: options.out ?? null,
    command: commandLine(io.argv),
    generator: await findGenerator(io),
    io,
  })
  return tellComparison({ comparison, folder, json: options.json === true, io })
}

async function compareWhatIsThere(options: CompareOptions): Promise<ExitCode> {
  const { io, single, json, out } = options
  if (options.rate !== undefined) {
    throw new BreakwaterError('compare: --rate is of runs that are made, and --run is not given', {
      hint: 'With --run, A and B are targets: `compare --run A B --rate 50`.',
    })
  }
  const { a, b } = await sidesOf(options)
  for (const note of [...a.notes, ...b.notes]) io.stderr(`${note}\n`)
  throwIfInterrupted(io.interrupted)
  const folder = out === undefined ? null : await openFolder(out, io.cwd)
  try {
    const comparison = await compareFolders({
      a: { label: a.label, dirs: a.dirs },
      b: { label: b.label, dirs: b.dirs },
      single: single === true,
      notes: single || a.dirs.length + b.dirs.length > 2 ? [] : [HOW_SINGLE],
      acrossTargets: options.acrossTargets === true || (await areOfOneComparison(a.dirs, b.dirs)),
    })
    return await tellComparison({ comparison, folder, json: json === true, io })
  } finally {
    await folder?.release()
  }
}

async function openFolder(out: string, cwd: string) {
  const dir = resolve(cwd, out)
  const mustBeFree = (names: readonly string[]) => {
    if (!names.includes(RUN_FILES.comparisonJson)) return
    throw new BreakwaterError(`${out}: holds a comparison already, and nothing is overwritten`, {
      hint: 'Name another folder with --out.',
    })
  }
  return { dir, shown: out, release: await claimFolder(dir, { shown: out, mustBeFree }) }
}

/** Both were run for one comparison: `compare X/a X/b` is `compare --run` once more. */
async function areOfOneComparison(a: readonly string[], b: readonly string[]): Promise<boolean> {
  const [ofA, ofB] = [a, b].map(([dir = '']) => dirname(dirname(dir)))
  if (ofA === undefined || ofA !== ofB) return false
  const run = await readRun(ofA).catch(() => undefined)
  return run?.job === 'compare'
}

async function sidesOf({ a, b, baseline, io }: CompareOptions): Promise<{ a: Side; b: Side }> {
  const where = { cwd: io.cwd, nowMs: Date.now() }
  if (baseline !== undefined && a !== undefined && b === undefined) return againstBaseline(baseline, a, where)
  if (baseline !== undefined || a === undefined || b === undefined) {
    throw new BreakwaterError('compare takes two sides: A and B, or --baseline RUN and B', {
      hint: 'Each is a run folder, or a folder that holds repetitions of one run. With --run they are targets.',
    })
  }
  await mustDiffer(resolve(io.cwd, a), resolve(io.cwd, b), a)
  const sides = { a: await readSide(a, where), b: await readSide(b, where) }
  await mustShareNothing(sides)
  return sides
}

async function againstBaseline(
  baseline: string,
  path: string,
  where: { cwd: string; nowMs: number },
): Promise<{ a: Side; b: Side }> {
  const b = await readSide(path, where)
  const [dir = ''] = b.dirs
  const found = await findBaseline({ baseline, run: b.run, dir, ...where })
  for (const each of b.dirs) await mustDiffer(found.dir, each, baseline)
  return { a: { label: found.shown, dirs: [found.dir], run: found.run, notes: [] }, b }
}

/** A folder of runs may hold the other side too. */
async function mustShareNothing({ a, b }: { a: Side; b: Side }): Promise<void> {
  const [inA, inB] = await Promise.all(
    [a, b].map(({ dirs }) => Promise.all(dirs.map((dir) => realpath(dir)))),
  )
  const [shared] = (inA ?? []).filter((dir) => inB?.includes(dir))
  if (shared === undefined) return
  throw new BreakwaterError(`${a.label} and ${b.label}: both hold the run ${basename(shared)}`, {
    hint: 'A run that is on both sides hides what differs. Name folders that hold the runs of one side alone.',
  })
}

async function mustDiffer(a: string, b: string, shown: string): Promise<void> {
  const [realA, realB] = await Promise.all([a, b].map((dir) => realpath(dir).catch(() => dir)))
  if (realA !== realB) return
  throw new BreakwaterError(`${shown}: A and B are the same folder`, {
    hint: 'A run differs from itself in nothing. `compare --run A A` runs one target as both sides.',
  })
}
