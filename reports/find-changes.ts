import path from 'node:path'
import { isLoopback } from '../contract/addresses.ts'
import { type Axis, getAxisUnit } from '../contract/capacity.ts'
import type { Verdict } from '../contract/finding.ts'
import type { Changes, Report } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import type { Earlier, EarlierRun } from './find-earlier-run.ts'
import { shellWords } from './judge-rules.ts'
import { figure, objectiveText } from './objective-text.ts'
import { ALL_ROUTES } from './series/tally.ts'

/** The parts of a report that are compared with an earlier one. */
export type Later = Pick<Report, 'verdict' | 'rules' | 'slo' | 'capacity' | 'latency'> & {
  run: Run
  dir: string
}

/** Changes since the earlier run. Latencies are listed without a verdict, because two single runs cannot be judged. */
export function findChanges(later: Later, { found, reason }: Earlier): Changes {
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
    // The latencies of a case depend on its story, so they are not compared.
    compareCommand: run.repro === null ? compareLine(later.dir, folder) : null,
  }
}

const NOTHING: Changes = {
  since: null,
  reason: null,
  rules: { failing: [], passing: [], inconclusive: [], added: [], removed: [] },
  objectives: [],
  facts: [],
  latency: [],
  latencyReason: null,
  compareCommand: null,
}

type Judged = { id: string; verdict: Verdict }

function changedRules(before: readonly Judged[], after: readonly Judged[]): Changes['rules'] {
  const was = new Map(before.map(({ id, verdict }) => [id, verdict]))
  const is = new Map(after.map(({ id, verdict }) => [id, verdict]))
  const listIds = (applies: (was: Verdict, is: Verdict) => boolean) =>
    after.flatMap(({ id, verdict }) => {
      const then = was.get(id)
      return then !== undefined && applies(then, verdict) ? [id] : []
    })
  const isOpen = (verdict: Verdict) => verdict === 'inconclusive' || verdict === 'skipped'
  return {
    failing: listIds((then, now) => now === 'fail' && then !== 'fail'),
    passing: listIds((then, now) => now === 'pass' && then !== 'pass'),
    inconclusive: listIds((then, now) => isOpen(now) && !isOpen(then)),
    added: after.filter(({ id }) => !was.has(id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !is.has(id)).map(({ id }) => id),
  }
}

function changedObjectives({ report }: EarlierRun, { slo }: Later): Changes['objectives'] {
  const was = new Map(report.slo?.objectives.map((each) => [objectiveText(each), each.verdict]))
  return (slo?.objectives ?? []).flatMap((each) => {
    const objective = objectiveText(each)
    const then = was.get(objective)
    return then === undefined || then === each.verdict
      ? []
      : [{ objective, before: then, after: each.verdict }]
  })
}

function latencies({ report }: EarlierRun, { latency }: Later): Changes['latency'] {
  const was = new Map(report.latency.groups.map(({ routeGroup, p95 }) => [routeGroup, p95]))
  return latency.groups.flatMap(({ routeGroup, p95 }) => {
    const then = was.get(routeGroup)
    return typeof then === 'number' && typeof p95 === 'number'
      ? [{ routeGroup, beforeMs: then, afterMs: p95 }]
      : []
  })
}

/** Relative to the parent of the folder of runs. */
function compareLine(dir: string, folder: string): string {
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
  { name: 'target', of: ({ target }) => formatHost(target.baseUrl) },
  { name: 'mutant', of: ({ mutant }) => mutant ?? 'none' },
  { name: 'seed', of: ({ seed }) => String(seed ?? 'none') },
  { name: 'load', of: ({ load }) => loadText(load), keepsLatencyApart: true },
  { name: 'k6 processes', of: ({ instances }) => String(instances), keepsLatencyApart: true },
  { name: 'machine', of: ({ machine }) => machine ?? 'unknown', keepsLatencyApart: true },
  { name: 'options', of: ({ command }) => optionsIn(command) },
]

/** Facts that differ between two runs of the same kind, and the results of searches. */
function changedFacts({ run, report }: EarlierRun, later: Later): Changes['facts'] {
  const capacities =
    report.capacity === null || later.capacity === null
      ? []
      : [
          {
            name: 'capacity',
            before: rateText(report.capacity.rate, run.search?.axis),
            after: rateText(later.capacity.rate, later.run.search?.axis),
          },
        ]
  const slos = { name: 'objectives', before: report.slo?.name ?? 'none', after: later.slo?.name ?? 'none' }
  const facts = FACTS.map(({ name, of }) => ({ name, before: of(run), after: of(later.run) }))
  return [...capacities, slos, ...facts].filter(({ before, after }) => before !== after)
}

/** Why the latencies of two runs are not comparable; null if they are. */
function unlikeBecause(earlier: Run, run: Run): string | null {
  // A report of a search has the latencies of one of its loads.
  if (run.search !== null) return 'each search reports the latencies of its own load'
  const names = FACTS.filter(({ of, keepsLatencyApart }) => keepsLatencyApart && of(earlier) !== of(run)).map(
    ({ name }) => name,
  )
  return names.length === 0 ? null : `different ${names.join(', ')}`
}

/** The stub uses another local port in each run. */
function formatHost(url: string): string {
  if (!URL.canParse(url)) return url
  return isLoopback(url) ? 'this machine' : new URL(url).host
}

function loadText(load: Run['load']): string {
  return load === null ? 'none' : `${figure(load.rate)} iterations/s for ${load.seconds} s`
}

function rateText(rate: number | null, axis: Axis | undefined): string {
  return rate === null ? 'not found' : `${figure(rate)} ${getAxisUnit(axis)}`
}

/** As typed, without options that only affect output. */
function optionsIn(command: string): string {
  const words = shellWords(command)
  const kept = words.filter((word, index) => {
    const isFolder = /^(-o|--output)$/.test(words[index - 1] ?? '')
    return !isFolder && !/^(--json|--quiet|--verbose|-o.*|--output(=.*)?)$/s.test(word)
  })
  return kept.slice(1).join(' ') || 'none'
}

/** Such as `Since <folder> (pass): 1 rule newly failing; 2 objectives with another verdict; changed: seed.` */
export function changesSentence(changes: Changes): string {
  const { since, reason } = changes
  if (since === null) return `Nothing to compare with: ${reason ?? 'no earlier run'}.`
  const parts = [
    ...changedRuleLists(changes).map(({ name, ids }) => `${countText(ids.length, 'rule')} ${PHRASES[name]}`),
    ...(changes.objectives.length === 0
      ? []
      : [`${countText(changes.objectives.length, 'objective')} with another verdict`]),
    ...(changes.facts.length === 0 ? [] : [`changed: ${changes.facts.map(({ name }) => name).join(', ')}`]),
  ]
  const said = parts.length === 0 ? 'no verdict, version or option changed' : parts.join('; ')
  return `Since ${since.folder} (${since.verdict}): ${said}.`
}

const NAMES = [
  'Newly failing',
  'Passing again',
  'Now inconclusive or skipped',
  'Judged for the first time',
  'No longer judged',
] as const

type ListName = (typeof NAMES)[number]

const PHRASES: Readonly<Record<ListName, string>> = {
  'Newly failing': 'newly failing',
  'Passing again': 'passing again',
  'Now inconclusive or skipped': 'now inconclusive or skipped',
  'Judged for the first time': 'judged for the first time',
  'No longer judged': 'no longer judged',
}

/** Rules with a changed verdict, worst first; empty lists are left out. */
export function changedRuleLists({
  rules,
}: Pick<Changes, 'rules'>): { name: ListName; ids: readonly string[] }[] {
  const { failing, passing, inconclusive, added, removed } = rules
  const lists = [failing, passing, inconclusive, added, removed]
  return NAMES.map((name, index) => ({ name, ids: lists[index] ?? [] })).filter(({ ids }) => ids.length > 0)
}

export function groupText(routeGroup: string): string {
  return routeGroup === ALL_ROUTES ? 'all requests' : routeGroup
}

function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
