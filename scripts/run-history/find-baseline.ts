import { lstat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { sloSchema } from '../../contract/slo.ts'
import { objectivesText } from '../../reports/objective-text.ts'
import { readRun } from '../../reports/run-file.ts'
import { type ListedRun, listRuns } from './list-runs.ts'

export type Baseline = { dir: string; shown: string; run: Run }

/**
 * Finds the run to compare with: the named run folder, or in a folder of runs the last good one of the same target,
 * mix, load and machine class. Throws a BreakwaterError: usage if the named run is of another kind, environment if the
 * folder holds none that fits.
 */
export async function findBaseline(options: {
  baseline: string
  run: Run
  dir: string
  cwd: string
  nowMs: number
}): Promise<Baseline> {
  const { baseline, run, cwd, nowMs } = options
  const dir = resolve(cwd, baseline)
  const runFile = await lstat(join(dir, RUN_FILES.run)).catch(() => undefined)
  if (runFile !== undefined) return namedRun({ dir, shown: baseline, run })
  const { runs, damaged } = await listRuns(dir, { shown: baseline, nowMs })
  const others = runs.filter((one) => one.run.id !== run.id || resolve(one.dir) !== resolve(options.dir))
  const unfit = others.map((one) => ({ one, reason: unfitBecause(one, run) }))
  const last = unfit.find(({ reason }) => reason === undefined)?.one
  if (last !== undefined) return { dir: last.dir, shown: join(baseline, last.folder), run: last.run }
  throw new BreakwaterError(
    `${baseline}: no run to compare with: ${tally([...unfit.map(({ reason }) => reason ?? ''), ...damaged.map(() => 'damaged')])}`,
    {
      hint: 'A baseline is a run that completed without failures and has the same job, target, mix, load and machine class. `breakwater runs` lists the runs.',
      exitCode: EXIT.environment,
    },
  )
}

/** Throws a BreakwaterError (usage) if a baseline is unreadable, before a run is made for it. */
export async function mustBeFolder(baseline: string | undefined, { cwd }: { cwd: string }): Promise<void> {
  if (baseline !== undefined) await listRuns(resolve(cwd, baseline), { shown: baseline, nowMs: 0 })
}

async function namedRun({ dir, shown, run }: { dir: string; shown: string; run: Run }): Promise<Baseline> {
  const found = await readRun(dir, { shown })
  if (found.job === 'compare') {
    throw new BreakwaterError(`${shown}: is a comparison, not a run`, {
      hint: `Its runs are in ${join(shown, 'a')} and ${join(shown, 'b')}.`,
    })
  }
  const differences = misfits(found, run)
  if (differences.length === 0) return { dir, shown, run: found }
  throw new BreakwaterError(
    `${shown}: cannot be the baseline: ${differences.map((each) => misfitText(each)).join('; ')}`,
    { hint: 'Name a run of the same job, target, mix, load and machine class, or a folder that holds some.' },
  )
}

function misfitText({ what, first, second }: Misfit): string {
  return `its ${what} is ${first}, but the run has ${second}`
}

function unfitBecause({ run, standing, rate }: ListedRun, wanted: Run): string | undefined {
  const [difference] = misfits(run, wanted)
  if (difference !== undefined) return `another ${difference.what}`
  if (run.state === 'finished' && run.search !== null && rate === null) return 'that found no rate'
  return run.state === 'finished' && standing !== 'fail' ? undefined : standing
}

/** For example `3 of another mix, 1 fail`, most frequent first. */
function tally(reasons: readonly string[]): string {
  if (reasons.length === 0) return 'the folder has no runs'
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason.startsWith('another ') ? 'of ' : ''}${reason}`)
    .join(', ')
}

type Trait = {
  what: string
  of: (run: Run) => string
}

/**
 * Traits that a run and its baseline must share. Targets match by name and host, because stubs and services under test
 * get new ports.
 */
const TRAITS: readonly Trait[] = [
  { what: 'job', of: ({ job }) => job },
  { what: 'target', of: ({ target }) => `${target.name} at ${parseHost(target.baseUrl)}` },
  { what: 'world', of: ({ world }) => world ?? 'none' },
  { what: 'choices', of: ({ choices }) => choices ?? 'none' },
  { what: 'mutant', of: ({ mutant }) => mutant ?? 'none' },
  { what: 'mix', of: ({ mix }) => mix ?? 'none' },
  { what: 'arrivals', of: ({ arrivals }) => arrivals ?? 'unknown' },
  {
    what: 'load',
    of: ({ load }) => (load === null ? 'no constant rate' : `${load.rate} iterations/s`),
  },
  { what: 'axis', of: ({ search }) => search?.axis ?? 'rate' },
  { what: 'stages', of: ({ search }) => search?.stages ?? 'none' },
  { what: 'set of objectives', of: describeObjectives },
  { what: 'machine', of: ({ machine }) => machine ?? 'unknown' },
  { what: 'k6', of: ({ versions }) => versions.k6 },
  { what: 'number of k6 processes', of: ({ instances }) => String(instances) },
]

type Misfit = { what: string; first: string; second: string }

/** Traits in which the runs differ; empty: comparable. */
export function misfits(first: Run, second: Run): Misfit[] {
  return TRAITS.map(({ what, of }) => ({ what, first: of(first), second: of(second) })).filter(
    (trait) => trait.first !== trait.second,
  )
}

/** Objectives affect the result only of a search. */
function describeObjectives({ search, slo }: Run): string {
  const { success, data } = sloSchema.safeParse(slo)
  return search !== null && success ? objectivesText(data.objectives) : 'none'
}

function parseHost(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url
}
