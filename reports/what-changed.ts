import path from 'node:path'
import { isLoopback } from '../contract/addresses.ts'
import type { Verdict } from '../contract/finding.ts'
import type { Changed, Report } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import type { Earlier, EarlierRun } from './find-earlier-run.ts'
import { shellWords } from './judge-rules.ts'
import { figure, objectiveText } from './objective-text.ts'
import { ALL_ROUTES } from './series/tally.ts'

/** What the report needs of itself to be held beside an earlier one. */
export type Later = Pick<Report, 'verdict' | 'rules' | 'slo' | 'capacity' | 'latency'> & {
  run: Run
  dir: string
}

/** What is not as it was in the earlier run. That one run was slower than another is told, and not judged. */
export function whatChanged(later: Later, { found, reason }: Earlier): Changed {
  if (found === null) return { ...NOTHING, reason }
  const { folder, run, report } = found
  const unlike = unlikeBecause(run, later.run)
  return {
    since: { folder, startedAt: run.startedAt, verdict: report.verdict },
    reason: null,
    rules: changedRules(report.rules, later.rules),
    objectives: changedObjectives(found, later),
    facts: changedFacts(found, later),
    latency: unlike === null ? latencies(found, later) : [],
    latencyReason: unlike,
    // A case is no load: its latencies are those of its story.
    compare: run.repro === null ? compareCommand(later.dir, folder) : null,
  }
}

const NOTHING: Changed = {
  since: null,
  reason: null,
  rules: { failing: [], held: [], open: [], added: [], removed: [] },
  objectives: [],
  facts: [],
  latency: [],
  latencyReason: null,
  compare: null,
}

type Judged = { id: string; verdict: Verdict }

function changedRules(before: readonly Judged[], after: readonly Judged[]): Changed['rules'] {
  const was = new Map(before.map(({ id, verdict }) => [id, verdict]))
  const is = new Map(after.map(({ id, verdict }) => [id, verdict]))
  const idsOf = (applies: (was: Verdict, is: Verdict) => boolean) =>
    after.flatMap(({ id, verdict }) => {
      const then = was.get(id)
      return then !== undefined && applies(then, verdict) ? [id] : []
    })
  const isOpen = (verdict: Verdict) => verdict === 'inconclusive' || verdict === 'skipped'
  return {
    failing: idsOf((then, now) => now === 'fail' && then !== 'fail'),
    held: idsOf((then, now) => now === 'pass' && then !== 'pass'),
    open: idsOf((then, now) => isOpen(now) && !isOpen(then)),
    added: after.filter(({ id }) => !was.has(id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !is.has(id)).map(({ id }) => id),
  }
}

function changedObjectives({ report }: EarlierRun, { slo }: Later): Changed['objectives'] {
  const was = new Map(report.slo?.objectives.map((each) => [objectiveText(each), each.verdict]))
  return (slo?.objectives ?? []).flatMap((each) => {
    const objective = objectiveText(each)
    const then = was.get(objective)
    return then === undefined || then === each.verdict ? [] : [{ objective, was: then, is: each.verdict }]
  })
}

function latencies({ report }: EarlierRun, { latency }: Later): Changed['latency'] {
  const was = new Map(report.latency.groups.map(({ routeGroup, p95 }) => [routeGroup, p95]))
  return latency.groups.flatMap(({ routeGroup, p95 }) => {
    const then = was.get(routeGroup)
    return typeof then === 'number' && typeof p95 === 'number' ? [{ routeGroup, wasMs: then, isMs: p95 }] : []
  })
}

/** As somebody types it who stands where the folder of the runs lies. */
function compareCommand(dir: string, folder: string): string {
  const parent = path.basename(path.dirname(path.resolve(dir)))
  const words = [path.join(parent, folder), path.join(parent, path.basename(path.resolve(dir)))]
  return ['breakwater compare', ...words.map(quoted)].join(' ')
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

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
function changedFacts({ run, report }: EarlierRun, later: Later): Changed['facts'] {
  const capacities =
    report.capacity === null || later.capacity === null
      ? []
      : [{ name: 'capacity', was: rateText(report.capacity.rate), is: rateText(later.capacity.rate) }]
  const slos = { name: 'objectives', was: report.slo?.name ?? 'none', is: later.slo?.name ?? 'none' }
  const facts = FACTS.map(({ name, of }) => ({ name, was: of(run), is: of(later.run) }))
  return [...capacities, slos, ...facts].filter(({ was, is }) => was !== is)
}

/** Why the latencies of two runs say nothing beside each other; null where they may stand so. */
function unlikeBecause(earlier: Run, run: Run): string | null {
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

/** What changed, in one sentence: `Since <folder> (pass): 1 rule fails anew, 2 objectives flipped, another seed.` */
export function changedSentence(changed: Changed): string {
  const { since, reason } = changed
  if (since === null) return `Nothing to hold it beside: ${reason ?? 'there is no earlier run'}.`
  const parts = [
    ...changedRuleLists(changed).map(({ name, ids }) => `${countText(ids.length, 'rule')} ${PHRASES[name]}`),
    ...(changed.objectives.length === 0
      ? []
      : [`${countText(changed.objectives.length, 'objective')} judged otherwise`]),
    ...(changed.facts.length === 0
      ? []
      : [`not the same: ${changed.facts.map(({ name }) => name).join(', ')}`]),
  ]
  const said = parts.length === 0 ? 'no verdict, version or option changed' : parts.join('; ')
  return `Since ${since.folder} (${since.verdict}): ${said}.`
}

const NAMES = [
  'Fail anew',
  'Hold again',
  'Left open',
  'Judged for the first time',
  'Not judged any more',
] as const

type ListName = (typeof NAMES)[number]

const PHRASES: Readonly<Record<ListName, string>> = {
  'Fail anew': 'failing anew',
  'Hold again': 'holding again',
  'Left open': 'left open that had a verdict',
  'Judged for the first time': 'judged for the first time',
  'Not judged any more': 'not judged any more',
}

/** Rules whose standing is another, the worst first; lists without any are left out. */
export function changedRuleLists({
  rules,
}: Pick<Changed, 'rules'>): { name: ListName; ids: readonly string[] }[] {
  const { failing, held, open, added, removed } = rules
  const lists = [failing, held, open, added, removed]
  return NAMES.map((name, index) => ({ name, ids: lists[index] ?? [] })).filter(({ ids }) => ids.length > 0)
}

/** A group of routes, for people. */
export function groupText(routeGroup: string): string {
  return routeGroup === ALL_ROUTES ? 'all requests' : routeGroup
}

function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
