import { join, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Run } from '../../contract/run.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import { loadFaults } from '../given-files.ts'
import { type ConstantLoadOptions, type ConstantLoadPlan, planConstantLoad } from '../load/plan-load.ts'
import { misfits } from '../run-history/find-baseline.ts'
import { type ListedRun, listRuns, type RunList } from '../run-history/list-runs.ts'
import { hostsConfirmed, mustBeHosts } from '../target/permission.ts'
import { readProfile } from '../target/target-files.ts'

export type PlannedSide = {
  /** As the user wrote it: `stub`, `stub:PLAN` or a target profile's file. */
  label: string
  plan: ConstantLoadPlan
  /** Fault plan of a stub; null: no faults. */
  faults: FaultPlan | null
  /** Throws a BreakwaterError (environment) if the target has become unreachable. Called before each run. */
  mustRespond(): Promise<void>
}

const STUB = 'stub'

/**
 * Parses one side of `compare --run`. Throws a BreakwaterError: usage for an unknown fault plan, a bad profile or a
 * target that does not allow the load; environment for one that does not respond.
 */
export async function planSide(label: string, options: ConstantLoadOptions): Promise<PlannedSide> {
  const [kind, plan] = split(label)
  if (kind !== STUB) {
    const { profile } = await readProfile(label, options.io)
    // The confirmed hosts may be the other side's.
    const confirm = hostsConfirmed(options.confirm ?? [], profile)
    const planned = () => planConstantLoad({ ...options, target: label, confirm })
    return {
      label,
      plan: await planned(),
      faults: null,
      mustRespond: async () => void (await planned()),
    }
  }
  if (plan === '') {
    throw new BreakwaterError(`${label}: expected a fault plan`, {
      hint: 'For example stub:base-20ms or stub:./plan.json. Use stub alone for no faults.',
    })
  }
  // Confirmed hosts can only be the other side's.
  const { confirm: _confirm, ...ofStub } = options
  return {
    label,
    plan: await planConstantLoad(ofStub),
    faults: plan === undefined ? null : await loadFaults(plan, options.io.cwd),
    mustRespond: async () => {},
  }
}

export async function mustConfirmSides(
  labels: readonly string[],
  { confirm = [], io }: Pick<ConstantLoadOptions, 'confirm' | 'io'>,
): Promise<void> {
  if (confirm.length === 0) return
  const files = labels.filter((label) => split(label)[0] !== STUB)
  if (files.length === 0) {
    throw new BreakwaterError('--confirm does not apply: both sides are the stub', {
      hint: 'Omit --confirm.',
    })
  }
  const read = await Promise.all(files.map((file) => readProfile(file, io)))
  mustBeHosts(
    confirm,
    read.map(({ profile }) => profile),
  )
}

function split(label: string): [string, string | undefined] {
  const colon = label.indexOf(':')
  return colon === -1 ? [label, undefined] : [label.slice(0, colon), label.slice(colon + 1)]
}

export type Side = {
  label: string
  dirs: string[]
  run: Run
  notes: string[]
}

/**
 * Reads one side: the named run folder, or all runs in a folder, which must be of one kind. Throws a BreakwaterError
 * (usage) for no runs or several kinds.
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

function leftOut(shown: string, reason: string): string {
  return `${shown}: left out: ${reason}`
}

function namedRun({ dir, run, standing }: ListedRun, path: string): Omit<Side, 'notes'> {
  if (run.job === 'compare') {
    throw new BreakwaterError(`${path}: is a comparison, not a run`, {
      hint: `Its sides are ${join(path, 'a')} and ${join(path, 'b')}.`,
    })
  }
  if (standing === 'running') {
    throw new BreakwaterError(`${path}: is still running`, { hint: 'Wait for it to end, then compare it.' })
  }
  return { label: path, dirs: [dir], run }
}

function nothingIn(path: string, { runs, damaged }: RunList): BreakwaterError {
  const counts = [
    ...runs.map(({ run, standing }) => (run.job === 'compare' ? 'comparison' : standing)),
    ...damaged.map(() => 'damaged'),
  ]
  return new BreakwaterError(
    `${path}: no completed run found${counts.length === 0 ? '' : `: ${counts.slice(0, 5).join(', ')}`}`,
    HOW_MADE,
  )
}

/** Runs of different kinds, such as two rates, are not repetitions. */
function mustBeAlike(path: string, newest: ListedRun, other: ListedRun): void {
  const [difference] = misfits(newest.run, other.run)
  if (difference === undefined) return
  const { what, first, second } = difference
  throw new BreakwaterError(
    `${path}: contains runs of several kinds: the ${what} of ${newest.folder} is ${first}, and that of ${other.folder} ${second}`,
    { hint: 'Name a run folder, or a folder that holds repetitions of one run.' },
  )
}
