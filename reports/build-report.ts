import type { TrialFacts } from '../contract/capacity.ts'
import type { Finding } from '../contract/finding.ts'
import type { Report } from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import type { Run } from '../contract/run.ts'
import { buildCapacity } from './capacity/build-capacity.ts'
import { focusTrial } from './capacity/focus-trial.ts'
import { noteCapacity } from './capacity/note-capacity.ts'
import type { Earlier } from './changes/find-earlier-run.ts'
import { whatChanged } from './changes/what-changed.ts'
import { feedFigures } from './feed-figures.ts'
import { judgeRules } from './judge-rules.ts'
import { judgeRun } from './judge-run.ts'
import { latencyFigures } from './latency-figures.ts'
import { judgeLimits } from './limits/judge-limits.ts'
import { noteDropped, noteMix, noteRun, noteUnknown, sentence } from './report-notes.ts'
import type { FoldedSeries } from './series/fold-series.ts'
import { judgeSlo } from './slo/judge-slo.ts'
import { waiveFailures } from './waive-failures.ts'
import { whatLimited } from './what-limited.ts'

/** Judges what was read of a run folder; touches no file. `series` has the objectives; `notes` are the readers' remarks. */
export function buildReport(options: {
  run: Run
  findings: readonly Finding[]
  series: FoldedSeries
  /** Whether it was read to its end; and whether to where damage begins. */
  seriesComplete: boolean
  seriesDamaged: boolean
  /** Of a run that searched for capacity, or held a load; `slices` of the series are theirs, in their order. */
  trials: readonly TrialFacts[]
  slices: readonly FoldedSeries[]
  catalogue: readonly Rule[]
  notes: readonly string[]
  /** Its folder, and the run before it in the same place. */
  dir: string
  earlier: Earlier
}): Report {
  const { run, series, seriesComplete, seriesDamaged, findings, catalogue, trials, slices } = options
  const judged = judgeRules({ selected: run.rules, findings, catalogue })
  const { rules, notes: waiverNotes } = waiveFailures(judged.rules, run)
  const capacity = buildCapacity({ run, trials, slices, series, seriesComplete, seriesDamaged })
  const focus = focusTrial(capacity)
  const focused = slices.find((_, index) => trials[index]?.trial === focus?.trial) ?? series
  const slo = judgeSlo({ series: focused, seriesComplete: seriesComplete || focus?.outcome === 'met' })
  const { verdict, exitCode, because } = judgeRun({ run, rules, slo, capacity })
  const {
    version: _version,
    job,
    rules: _rules,
    ownRules: _own,
    waivers: _waivers,
    repro: _repro,
    notes: _notes,
    slo: _slo,
    search: _search,
    ...runFacts
  } = run
  const latency = latencyFigures(focused)
  return {
    version: 1,
    job,
    verdict,
    exitCode,
    rules,
    unknownRules: judged.unknownRules,
    slo,
    capacity,
    changed: whatChanged({ dir: options.dir, run, verdict, rules, slo, capacity, latency }, options.earlier),
    limits: judgeLimits(rules, run),
    feed: feedFigures(focused),
    limited: whatLimited({ run, capacity, series, seriesComplete }),
    run: runFacts,
    latency,
    generator: generatorOf(series, seriesComplete),
    notes: [
      ...(verdict === 'pass' || verdict === 'fail' ? [] : [sentence(because)]),
      ...noteCapacity(run, slo?.name ?? null),
      ...noteRun(run),
      ...run.notes,
      ...options.notes,
      ...noteDropped(focused),
      ...noteMix(series),
      ...noteUnknown(judged.unknownRules),
      ...judged.notes,
      ...waiverNotes,
    ],
  }
}

function generatorOf(series: FoldedSeries, complete: boolean): Report['generator'] {
  const { firstSecond, lastSecond, iterations, droppedIterations } = series
  const routes = [...series.routes.values()]
  return {
    requests: routes.reduce((sum, { latency }) => sum + latency.count, 0),
    failedRequests: routes.reduce((sum, { failed }) => sum + failed, 0),
    iterations,
    droppedIterations,
    measuredSeconds: firstSecond === undefined || lastSecond === undefined ? 0 : lastSecond - firstSecond + 1,
    complete,
  }
}
