import { join, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Run } from '../../contract/run.ts'
import { type ListedRun, listRuns, type RunList } from '../past-runs/list-runs.ts'
import { misfits } from '../past-runs/misfits.ts'

export type Side = {
  /** As the user wrote it. */
  label: string
  dirs: string[]
  /** The newest of its runs. */
  run: Run
  /** Runs that were left out, and why. */
  notes: string[]
}

/**
 * The runs of one side: the run folder that is named, or all runs in a folder, which must be of one kind. Throws a
 * BreakwaterError (usage) where there are none, or several kinds.
 */
export async function readSide(path: string, { cwd, nowMs }: { cwd: string; nowMs: number }): Promise<Side> {
  const list = await listRuns(resolve(cwd, path), { shown: path, nowMs })
  const { runs, damaged } = list
  if (damaged[0]?.folder === '.') throw new BreakwaterError(`${path}: ${damaged[0].problem}`, HOW_MADE)
  if (runs[0]?.folder === '.') return { ...namedRun(runs[0], path), notes: [] }
  const ended = runs.filter(({ run }) => run.job !== 'compare' && run.state === 'finished')
  const [newest] = ended
  if (newest === undefined) throw nothingIn(path, list)
  for (const other of ended) mustBeAlike(path, newest, other)
  return {
    label: path,
    dirs: ended.map(({ dir }) => dir),
    run: newest.run,
    notes: [
      ...damaged.map(({ folder, problem }) => `${join(path, folder)}: left out: ${problem}`),
      ...runs
        .filter((one) => !ended.includes(one))
        .map(({ folder, run, standing }) =>
          leftOut(join(path, folder), run.job === 'compare' ? 'is a comparison' : standing),
        ),
    ],
  }
}

const HOW_MADE = { hint: 'Expected a run folder, or a folder that holds runs of one kind.' }

function leftOut(shown: string, because: string): string {
  return `${shown}: left out: ${because}`
}

function namedRun({ dir, run, standing }: ListedRun, path: string): Omit<Side, 'notes'> {
  if (run.job === 'compare') {
    throw new BreakwaterError(`${path}: is a comparison, not a run`, {
      hint: `Its sides are ${join(path, 'a')} and ${join(path, 'b')}.`,
    })
  }
  if (standing === 'running') {
    throw new BreakwaterError(`${path}: is still running`, { hint: 'Compare it once it has ended.' })
  }
  return { label: path, dirs: [dir], run }
}

function nothingIn(path: string, { runs, damaged }: RunList): BreakwaterError {
  const counts = [
    ...runs.map(({ run, standing }) => (run.job === 'compare' ? 'comparison' : standing)),
    ...damaged.map(() => 'damaged'),
  ]
  return new BreakwaterError(
    `${path}: holds no run that has ended${counts.length === 0 ? '' : `: ${counts.slice(0, 5).join(', ')}`}`,
    HOW_MADE,
  )
}

/** Runs of two kinds, such as two rates, are no repetitions of each other. */
function mustBeAlike(path: string, newest: ListedRun, other: ListedRun): void {
  const [difference] = misfits(newest.run, other.run)
  if (difference === undefined) return
  const { what, first, second } = difference
  throw new BreakwaterError(
    `${path}: its runs are of several kinds: the ${what} of ${newest.folder} is ${first}, and that of ${other.folder} ${second}`,
    { hint: 'Name a run folder, or a folder that holds repetitions of one run.' },
  )
}
