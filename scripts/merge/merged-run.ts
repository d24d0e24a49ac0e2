import type { Run } from '../../contract/run.ts'
import type { SourceRun } from './source-run.ts'

/** From the worst on: what is wrong with one generator is wrong with the whole. */
const STATES: readonly Run['state'][] = ['running', 'interrupted', 'failed', 'finished']

/** Generators are started by hand, or by a scheduler. */
const TOGETHER_SECONDS = 2

/** What run.json says of several generators' runs as one. */
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
    startedAt: least(runs.map(({ startedAt }) => startedAt)),
    finishedAt: ended.length < runs.length ? null : greatest(ended),
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

/** By each machine's own clock: it may be the clocks that differ. */
function noteStarts(sources: readonly SourceRun[]): string[] {
  const starts = sources.map(({ run }) => Date.parse(run.startedAt) / 1000)
  const apart = Math.max(...starts) - Math.min(...starts)
  if (apart <= TOGETHER_SECONDS) return []
  return [
    `The generators began up to ${Math.round(apart)} s apart, by the clocks of their machines: counts and latencies of the whole hold, rates at its ends are those of a part.`,
  ]
}

function sameOrNull<Value>(values: readonly (Value | null)[]): Value | null {
  const [first = null] = values
  return values.every((value) => value === first) ? first : null
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

function least(times: readonly string[]): string {
  return times.toSorted()[0] ?? ''
}

function greatest(times: readonly string[]): string {
  return times.toSorted().at(-1) ?? ''
}
