import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { GeneratorHealth, TargetHealth, TrialFacts } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import type { Slo } from '../../contract/slo.ts'
import { mustCountOnce } from '../../reports/run-file.ts'

/** Worst first: one generator's failure is the whole run's. */
const STATES: readonly Run['state'][] = ['running', 'interrupted', 'failed', 'finished']

/** Tolerance for generators started by hand or by a scheduler. */
const TOGETHER_SECONDS = 2

export function mergedRun(
  sources: readonly [SourceRun, ...SourceRun[]],
  about: Pick<Run, 'id' | 'command' | 'slo' | 'notes'>,
): Run {
  const runs = sources.map(({ run }) => run)
  const [{ run: first }] = sources
  const ended = runs.map(({ finishedAt }) => finishedAt).filter((time) => time !== null)
  return {
    ...first,
    ...about,
    state: STATES.find((state) => runs.some((run) => run.state === state)) ?? 'finished',
    startedAt: earliest(runs.map(({ startedAt }) => startedAt)),
    finishedAt: ended.length < runs.length ? null : latest(ended),
    seed: sameOrNull(runs.map(({ seed }) => seed)),
    machine: sameOrNull(runs.map(({ machine }) => machine)),
    strict: runs.some(({ strict }) => strict),
    load: first.load && { ...first.load, rate: sum(runs.map(({ load }) => load?.rate ?? 0)) },
    instances: sum(runs.map(({ instances }) => instances)),
    mergedFrom: sources.flatMap(({ shown, run }) =>
      run.mergedFrom.length > 0 ? run.mergedFrom : [`${run.id} (${shown})`],
    ),
    k6: (runs.find(({ k6 }) => k6 === null || k6.exitCode !== 0) ?? first).k6,
    notes: [...noteStarts(sources), ...runs.flatMap(({ notes }) => notes), ...about.notes],
  }
}

/** By each machine's own clock, so the difference may be a clock error. */
function noteStarts(sources: readonly SourceRun[]): string[] {
  const starts = sources.map(({ run }) => Date.parse(run.startedAt) / 1000)
  const apart = Math.max(...starts) - Math.min(...starts)
  if (apart <= TOGETHER_SECONDS) return []
  return [
    `The generators started up to ${Math.round(apart)} s apart, by the clocks of their machines: total counts and latencies are valid, but rates at the start and the end cover only some generators.`,
  ]
}

function sameOrNull<Value>(values: readonly (Value | null)[]): Value | null {
  const [first = null] = values
  return values.every((value) => value === first) ? first : null
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

function earliest(times: readonly string[]): string {
  return times.toSorted()[0] ?? ''
}

function latest(times: readonly string[]): string {
  return times.toSorted().at(-1) ?? ''
}

/**
 * Combines the parts of a trial, judged while all generators ran. Generators run on machines of their own: cores add
 * up, and for limits of a machine the one closest to its limit counts.
 */
export function mergedTrial(parts: readonly [TrialFacts, ...TrialFacts[]]): TrialFacts {
  const [first] = parts
  const sumParts = (of: (part: TrialFacts) => number) => parts.reduce((sum, part) => sum + of(part), 0)
  const rateFroms = parts.map(({ rateFrom }) => rateFrom)
  return {
    ...(parts.find(({ ended }) => ended !== 'completed') ?? first),
    rate: sumParts(({ rate }) => rate),
    rateFrom: added(rateFroms),
    ...judgedTogether(parts),
    instances: sumParts(({ instances }) => instances),
    vusMax: sumParts(({ vusMax }) => vusMax),
    generator: mergeGenerators(parts.map(({ generator }) => generator)),
    ...mergedRunners(parts),
    target: mergedTarget(parts.map(({ target }) => target).filter((target) => target !== null)),
    // Each saw the memory for the sockets of all.
    memory: undefined,
  }
}

/** Numbers the runners of all parts in order; one without runners of its own counts as one. */
function mergedRunners(parts: readonly TrialFacts[]): Pick<TrialFacts, 'runners'> {
  if (parts.every(({ runners }) => runners === undefined)) return {}
  return { runners: parts.flatMap(({ runners, generator }) => runners ?? [generator]) }
}

function judgedTogether(parts: readonly TrialFacts[]): Pick<TrialFacts, 'judgedFrom' | 'judgedTo'> {
  const from = greatest(parts.map(({ judgedFrom }) => judgedFrom))
  const to = least(parts.map(({ judgedTo }) => judgedTo))
  return from === null || to === null || from >= to
    ? { judgedFrom: null, judgedTo: null }
    : { judgedFrom: from, judgedTo: to }
}

/** Generators on machines of their own, or in pods with their own limits. */
export function mergeGenerators(all: readonly GeneratorHealth[]): GeneratorHealth {
  const files = closest(all.map((each) => [each.openFilesMax, each.openFilesLimit] as const))
  const ports = closest(all.map((each) => [each.portsUsedMax, each.portsMax] as const))
  return {
    cpuCores: added(all.map(({ cpuCores }) => cpuCores)),
    cpuCoresMax: all.reduce((sum, { cpuCoresMax }) => sum + cpuCoresMax, 0),
    machineBusy: greatest(all.map(({ machineBusy }) => machineBusy)),
    runQueueCores: added(all.map(({ runQueueCores }) => runQueueCores)),
    throttledShare: greatest(all.map(({ throttledShare }) => throttledShare)),
    openFilesMax: files[0],
    openFilesLimit: files[1],
    portsUsedMax: ports[0],
    portsMax: ports[1],
    residentMbMax: added(all.map(({ residentMbMax }) => residentMbMax)),
  }
}

function mergedTarget(all: readonly TargetHealth[]): TargetHealth | null {
  if (all.length === 0) return null
  return {
    cpuCores: greatest(all.map(({ cpuCores }) => cpuCores)),
    eventLoopLagMs: greatest(all.map(({ eventLoopLagMs }) => eventLoopLagMs)),
    queueMax: greatest(all.map(({ queueMax }) => queueMax)),
  }
}

type Used = readonly [used: number | null, limit: number | null]

function closest(all: readonly Used[]): Used {
  const share = ([used, limit]: Used) => (used === null || !limit ? -1 : used / limit)
  return all.toSorted((a, b) => share(b) - share(a))[0] ?? [null, null]
}

function added(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0)
}

function greatest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.min(...known)
}

const SAME: readonly { what: string; of: (source: SourceRun) => string }[] = [
  { what: 'job', of: ({ run }) => run.job },
  { what: 'target', of: ({ run }) => `${run.target.name} at ${run.target.baseUrl}` },
  { what: 'mix', of: ({ run }) => run.mix ?? 'none' },
  { what: 'arrivals', of: ({ run }) => run.arrivals ?? 'unknown' },
  {
    what: 'load',
    of: ({ run: { load } }) =>
      load === null ? 'none' : `${load.seconds} s after a warm-up of ${load.warmUpSeconds} s`,
  },
  { what: 'set of judged rules', of: ({ run }) => (run.rules.length === 0 ? 'none' : run.rules.join(', ')) },
]

const ALONE: Readonly<Record<string, string>> = {
  capacity: 'each search chooses its own loads',
  compare: 'it is a comparison',
  repro: 'it is a single run of a case',
}

/**
 * Throws a BreakwaterError (usage) unless the runs are parts of one load: several generators with the same load on the
 * same target at the same time.
 */
export function mustBeOneRun(sources: readonly SourceRun[], options: { sloGiven: boolean }): void {
  const [first, ...others] = sources
  if (first === undefined || others.length === 0) {
    throw new BreakwaterError('merge: expected two or more runs, got one', {
      hint: 'Pass the run folders of two or more generators.',
    })
  }
  for (const source of sources) mustBeMergeable(source)
  mustCountOnce(sources)
  for (const other of others) {
    for (const { what, of } of SAME) mustBeSame(what, first, other, of)
    if (!options.sloGiven) mustHaveSameSlo(first, other)
  }
  mustOverlap(sources)
}

function mustBeMergeable({ shown, run }: SourceRun): void {
  const reason = ALONE[run.job]
  if (reason === undefined) return
  throw new BreakwaterError(`${shown}: a run of ${run.job} cannot be merged: ${reason}`, {
    hint: 'Expected runs of load, run or smoke. To compare two runs: `breakwater compare A B`.',
  })
}

function mustBeSame(
  what: string,
  first: SourceRun,
  other: SourceRun,
  of: (source: SourceRun) => string,
): void {
  if (of(first) === of(other)) return
  throw new BreakwaterError(
    `${other.shown}: not the same ${what} as ${first.shown}: ${of(other)} instead of ${of(first)}`,
    {
      hint: 'Merge only runs of one load: the same load on the same target, with the same objectives and rules.',
    },
  )
}

function mustHaveSameSlo(first: SourceRun, other: SourceRun): void {
  if (JSON.stringify(first.run.slo) === JSON.stringify(other.run.slo)) return
  throw new BreakwaterError(`${other.shown}: other objectives than ${first.shown}`, {
    hint: 'Pass the objectives for the merged run with --slo FILE.',
  })
}

/** They made one load only while all of them ran. */
function mustOverlap(sources: readonly SourceRun[]): void {
  for (const a of sources) {
    for (const b of sources) {
      const gapMs = Date.parse(b.run.startedAt) - parseEndMs(a)
      if (!(gapMs >= 0)) continue
      throw new BreakwaterError(
        `${b.shown}: started ${Math.round(gapMs / 1000)} s after ${a.shown} had ended, by the clocks of their machines`,
        {
          hint: 'Either they did not run together, or a clock is wrong: set it (NTP), and start all generators together. To compare consecutive runs: `breakwater compare A B`.',
        },
      )
    }
  }
}

/** Infinity for a killed run: its end is unknown. */
function parseEndMs({ run }: SourceRun): number {
  return run.finishedAt === null ? Number.POSITIVE_INFINITY : Date.parse(run.finishedAt)
}

export type SourceRun = {
  shown: string
  run: Run & { slo: Slo | null }
  trials: readonly TrialFacts[]
}
