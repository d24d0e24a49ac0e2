import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { BreakwaterError, type ExitCode } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { compareFolders } from '../../reports/compare/compare-folders.ts'
import { readRun } from '../../reports/run-file.ts'
import {
  alternateOrders,
  drawOrders,
  judgeAtEnd,
  judgeUntilSure,
  type PairOrder,
  type RunJudge,
} from '../compare/judge-runs.ts'
import { runSides } from '../compare/run-sides.ts'
import { mustConfirmSides, planSide, readSide, type Side } from '../compare/side.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { findGenerator } from '../load/run-load.ts'
import { claimFolder, requireScratch } from '../make-folder.ts'
import { findBaseline } from '../run-history/find-baseline.ts'
import { HOW_SINGLE, printComparison } from '../runs/print-comparison.ts'
import { requireFreeOutput } from '../runs/run-folder.ts'
import { commandLine } from '../terminal-text.ts'

export type CompareOptions = {
  io: Io
  /** Folders, or targets with `run`. With `baseline`, `a` is B and `b` is undefined. */
  a: string | undefined
  b: string | undefined
  baseline?: string
  allowSingleRun?: true
  acrossTargets?: true
  run?: true
  repeat: number
  untilSure?: true
  maxPairs?: number
  rate?: number
  duration: number
  warmUp: number
  mix: string
  arrivals: string
  world: string
  seed: number
  choices: ChoiceSetName
  confirm?: readonly string[]
  maxVus: number
  instances: number
  output?: string
  json?: true
}

/**
 * Returns 0 without a regression, 1 with one, 3 if nothing could be compared, 4 if `untilSure` stopped without being sure. Throws a BreakwaterError (usage) for bad options, for
 * folders without runs, and for runs of another kind than their baseline.
 */
export async function runCompare(options: CompareOptions): Promise<ExitCode> {
  mustFitUntilSure(options)
  return options.run ? compareByRunning(options) : compareExisting(options)
}

async function compareByRunning(options: CompareOptions): Promise<ExitCode> {
  const { io, rate, a, b } = options
  if (a === undefined || b === undefined) {
    throw new BreakwaterError('compare --run needs two targets, A and B', {
      hint: 'Each is a target profile, `stub`, or `stub:PLAN` with a plan from fixtures/faults.',
    })
  }
  if (rate === undefined) {
    throw new BreakwaterError('compare --run: --rate is required', {
      hint: 'Set a rate below what both sides can serve, such as --rate 50 (iterations per second). Above that, only queues are compared.',
    })
  }
  const planned = { ...options, rate }
  if (options.output !== undefined) await requireFreeOutput(options.output, io.cwd)
  requireScratch()
  await mustConfirmSides([a, b], options)
  const sides = { a: await planSide(a, planned), b: await planSide(b, planned) }
  const { comparison, folder } = await runSides({
    sides,
    ...planPairs(options, { a, b }),
    out: options.output ?? null,
    command: commandLine(io.argv),
    generator: await findGenerator(io),
    io,
  })
  return printComparison({ comparison, folder, json: options.json === true, io })
}

function planPairs(
  { untilSure, maxPairs = MAX_PAIRS_DEFAULT, repeat, seed, allowSingleRun, io }: CompareOptions,
  labels: Record<'a' | 'b', string>,
): { orders: readonly PairOrder[]; judge: RunJudge } {
  if (untilSure) {
    const judge = judgeUntilSure(labels, { maxPairs, orderSeed: seed, log: io.log })
    return { orders: drawOrders(maxPairs, seed), judge }
  }
  return {
    orders: alternateOrders(repeat),
    judge: judgeAtEnd(labels, { allowSingleRun: allowSingleRun === true }),
  }
}

const MAX_PAIRS_DEFAULT = 20

function mustFitUntilSure({ run, untilSure, maxPairs }: CompareOptions): void {
  if (maxPairs !== undefined && !untilSure) {
    throw new BreakwaterError('compare: --max-pairs needs --until-sure', {
      hint: 'Use --repeat to run a fixed number of pairs.',
    })
  }
  if (untilSure && !run) {
    throw new BreakwaterError('compare: --until-sure needs --run', {
      hint: 'Existing runs cannot be repeated. With --run, A and B are targets: `compare --run A B --rate 50 --until-sure`.',
    })
  }
}

async function compareExisting(options: CompareOptions): Promise<ExitCode> {
  const { io, allowSingleRun, json, output } = options
  const { a, b } = await resolveSides(options)
  for (const note of [...a.notes, ...b.notes]) io.stderr(`${note}\n`)
  throwIfInterrupted(io.interrupted)
  const folder = output === undefined ? null : await openFolder(output, io.cwd)
  try {
    const comparison = await compareFolders({
      a: { label: a.label, dirs: a.dirs },
      b: { label: b.label, dirs: b.dirs },
      cwd: io.cwd,
      allowSingleRun: allowSingleRun === true,
      notes: allowSingleRun || a.dirs.length + b.dirs.length > 2 ? [] : [HOW_SINGLE],
      acrossTargets: options.acrossTargets === true || (await shareComparison(a.dirs, b.dirs)),
    })
    return await printComparison({ comparison, folder, json: json === true, io })
  } finally {
    await folder?.release()
  }
}

async function openFolder(out: string, cwd: string) {
  const dir = resolve(cwd, out)
  const mustBeFree = (names: readonly string[]) => {
    if (!names.includes(RUN_FILES.comparisonJson)) return
    throw new BreakwaterError(`${out}: already contains a comparison, which is not overwritten`, {
      hint: 'Choose another folder with --output.',
    })
  }
  return { dir, shown: out, release: await claimFolder(dir, { shown: out, mustBeFree }) }
}

/** True for the sides of one `compare --run`, so that `compare X/a X/b` repeats its comparison. */
async function shareComparison(a: readonly string[], b: readonly string[]): Promise<boolean> {
  const [ofA, ofB] = [a, b].map(([dir = '']) => dirname(dirname(dir)))
  if (ofA === undefined || ofA !== ofB) return false
  const run = await readRun(ofA).catch(() => undefined)
  return run?.job === 'compare'
}

async function resolveSides({ a, b, baseline, io }: CompareOptions): Promise<{ a: Side; b: Side }> {
  const where = { cwd: io.cwd, nowMs: Date.now() }
  if (baseline !== undefined && a !== undefined && b === undefined) return againstBaseline(baseline, a, where)
  if (baseline !== undefined || a === undefined || b === undefined) {
    throw new BreakwaterError('compare needs two sides: A and B, or --baseline RUN and B', {
      hint: 'Each is a run folder, or a folder of repeated runs. With --run, they are targets.',
    })
  }
  await mustDiffer(resolve(io.cwd, a), resolve(io.cwd, b), a)
  return { a: await readSide(a, where), b: await readSide(b, where) }
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

async function mustDiffer(a: string, b: string, shown: string): Promise<void> {
  const [realA, realB] = await Promise.all([a, b].map((dir) => realpath(dir).catch(() => dir)))
  if (realA !== realB) return
  throw new BreakwaterError(`${shown}: A and B are the same folder`, {
    hint: 'A run does not differ from itself. `compare --run A A` runs one target as both sides.',
  })
}
