import path from 'node:path'
import type { Changed } from '../../contract/changed.ts'
import type { Verdict } from '../../contract/finding.ts'
import type { Report } from '../../contract/report.ts'
import type { Run } from '../../contract/run.ts'
import { objectiveText } from '../objective-text.ts'
import { changedFacts, unlikeBecause } from './changed-facts.ts'
import type { Earlier, EarlierRun } from './find-earlier-run.ts'

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
