import type { Changed } from '../../contract/changed.ts'
import { isLoopback } from '../../contract/is-loopback.ts'
import type { Run } from '../../contract/run.ts'
import { figure } from '../objective-text.ts'
import { shellWords } from '../shell-words.ts'
import type { EarlierRun } from './find-earlier-run.ts'
import type { Later } from './what-changed.ts'

type Fact = { name: string; of: (run: Run) => string; keepsLatencyApart?: true }

const FACTS: readonly Fact[] = [
  { name: 'Breakwater', of: ({ versions }) => versions.breakwater },
  { name: 'Node', of: ({ versions }) => versions.node },
  { name: 'k6', of: ({ versions }) => versions.k6, keepsLatencyApart: true },
  { name: 'target', of: ({ target }) => hostOf(target.baseUrl) },
  { name: 'mutant', of: ({ mutant }) => mutant ?? 'none' },
  { name: 'seed', of: ({ seed }) => String(seed ?? 'none') },
  { name: 'load', of: ({ load }) => loadText(load), keepsLatencyApart: true },
  { name: 'k6 processes', of: ({ instances }) => String(instances), keepsLatencyApart: true },
  { name: 'machine', of: ({ machine }) => machine ?? 'unknown', keepsLatencyApart: true },
  { name: 'options', of: ({ command }) => optionsIn(command) },
]

/** What two runs of one kind were not made alike by, and what a search found. */
export function changedFacts({ run, report }: EarlierRun, later: Later): Changed['facts'] {
  const capacities =
    report.capacity === null || later.capacity === null
      ? []
      : [{ name: 'capacity', was: rateText(report.capacity.rate), is: rateText(later.capacity.rate) }]
  const slos = { name: 'objectives', was: report.slo?.name ?? 'none', is: later.slo?.name ?? 'none' }
  const facts = FACTS.map(({ name, of }) => ({ name, was: of(run), is: of(later.run) }))
  return [...capacities, slos, ...facts].filter(({ was, is }) => was !== is)
}

/** Why the latencies of two runs say nothing beside each other; null where they may stand so. */
export function unlikeBecause(earlier: Run, run: Run): string | null {
  // Each load of a search counts for itself, and the report has those of one.
  if (run.search !== null) return 'each search has latencies of a load of its own'
  const names = FACTS.filter(({ of, keepsLatencyApart }) => keepsLatencyApart && of(earlier) !== of(run)).map(
    ({ name }) => name,
  )
  return names.length === 0 ? null : `not of the same ${names.join(', ')}`
}

/** On one machine the stub has another port each time. */
function hostOf(url: string): string {
  if (!URL.canParse(url)) return url
  return isLoopback(url) ? 'this machine' : new URL(url).host
}

function loadText(load: Run['load']): string {
  return load === null ? 'none held' : `${figure(load.rate)} iterations a second for ${load.seconds} s`
}

function rateText(rate: number | null): string {
  return rate === null ? 'not found' : `${figure(rate)} iterations a second`
}

/** As they were typed, but for those that say where the result goes, and how it is told. */
function optionsIn(command: string): string {
  const words = shellWords(command)
  const kept = words.filter((word, index) => {
    const before = words[index - 1] ?? ''
    return !/^--(json|quiet|verbose|out=.*|out)$/s.test(word) && before !== '--out'
  })
  return kept.slice(1).join(' ') || 'none'
}
