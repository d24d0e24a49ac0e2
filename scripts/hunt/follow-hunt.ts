/** The live view of a hunt: its report so far, from what the search reports. */

import { EXIT } from '../../contract/breakwater-error.ts'
import { type HuntDocument, huntReportSchema } from '../../contract/hunt-report.ts'
import { INTERFACE_VERSION } from '../../contract/limits.ts'
import type { TimelineKind, TimelineLine } from '../../contract/run.ts'
import { describeSchedule } from '../../hunt/schedule.ts'
import type { HuntFinding, HuntProgress, HuntReport } from '../../hunt/search.ts'
import { huntContent } from '../../reports/html/render-hunt.ts'
import { type LiveState, NO_DATA, waitingState } from '../../reports/html/render-live.ts'
import { countText } from '../../reports/hunt-text.ts'
import type { JournalEntry } from '../../simulator/activity-journal.ts'
import { activityText } from '../journal-entry-text.ts'
import { VERSION } from '../project.ts'

type HuntFollower = {
  add(progress: HuntProgress, elapsedMs: number): void
  end(report: HuntDocument): void
  /** The newest state: the same object if nothing was added. */
  look(): Promise<LiveState>
}

/** Renders only when someone looks. */
export function followHunt(given: { startedAt: Date; command: string }): HuntFollower {
  let state = waitingState()
  let render: (() => LiveState) | undefined
  return {
    add(progress, elapsedMs) {
      render = () => runningState(progress, { ...given, elapsedMs })
    },
    end(report) {
      render = () => endedState(report)
    },
    async look() {
      state = render?.() ?? state
      render = undefined
      return state
    },
  }
}

function runningState(
  { shrinking, soFar }: HuntProgress,
  { elapsedMs, ...given }: { elapsedMs: number; startedAt: Date; command: string },
): LiveState {
  const report = buildHuntReport(soFar(), { ...given, files: [] })
  const { length: found } = report.findings
  const now = [
    ...(shrinking === null ? [] : [` It shrinks a violation of ${shrinking}.`]),
    ...(found === 0 ? [] : [` ${countText(found, 'finding')} so far.`]),
  ]
  return {
    isOver: false,
    title: 'running: breakwater hunt',
    status: `The hunt has not finished.${now.join('')}`,
    content: huntContent(report, { elapsedMs }).markup,
    data: NO_DATA,
  }
}

function endedState(report: HuntDocument): LiveState {
  return {
    isOver: true,
    title: `${report.verdict}: breakwater hunt`,
    status: `The hunt has ended: ${report.verdict}. This page no longer changes.`,
    content: huntContent(report).markup,
    data: NO_DATA,
  }
}

/**
 * Turns the result of a search into the document that every format of its report is rendered from. `files` are the names of
 * the cases, one for each finding.
 */
export function buildHuntReport(
  report: HuntReport,
  { files, startedAt, command }: { files: readonly string[]; startedAt: Date; command: string },
): HuntDocument {
  const { seed, schedules, runs, situations } = report
  const duties = report.duties.map(({ rule, exercised, violated }) => ({
    rule,
    verdict: violated > 0 ? ('fail' as const) : exercised > 0 ? ('pass' as const) : ('skipped' as const),
    exercised,
    violated,
  }))
  const cases = report.cases.map(({ file, finding: { rule, observed }, reproduces }) => ({
    file,
    rule,
    observed,
    reproduces,
  }))
  const isFailed = report.findings.length > 0 || cases.some(({ reproduces }) => reproduces)
  const isWhole = duties.every(({ verdict }) => verdict !== 'skipped')
  let lines = 0
  const findings = report.findings.map((finding, place): HuntDocument['findings'][number] => {
    const { rule, client, observed, advice, schedule, reproduced, minimum } = finding
    const timeline = buildTimeline(finding).map((line) => ({ ...line, number: ++lines }))
    const faults = describeSchedule(minimum.schedule?.faults ?? [])
    const file = files[place] ?? ''
    return { rule, client, observed, advice, schedule, reproduced, faults, minimum, file, timeline }
  })
  return huntReportSchema.parse({
    version: 1,
    verdict: isFailed ? 'fail' : isWhole ? 'pass' : 'inconclusive',
    exitCode: isFailed ? EXIT.failed : EXIT.ok,
    startedAt: startedAt.toISOString(),
    breakwater: VERSION,
    specification: INTERFACE_VERSION,
    command,
    seed,
    schedules,
    runs,
    situations,
    findings,
    duties,
    cases,
  } satisfies HuntDocument)
}

/** The entries until the violation was clear, and then the violation. */
function buildTimeline({ timeline, evidence, rule, observed, startedMs }: HuntFinding): TimelineLine[] {
  const lines = toTimeline(timeline, { startedMs, evidence, rule })
  const atMs = lines.at(-1)?.atMs ?? 0
  return [...lines, { number: 1, atMs, actor: 'client', kind: 'finding', text: observed, rule }]
}

/** Actions of client and stub; entries of the evidence name the rule. */
export function toTimeline(
  entries: readonly JournalEntry[],
  options: { startedMs: number; evidence: readonly JournalEntry[]; rule: string },
): TimelineLine[] {
  const proves = new Set(options.evidence.map(({ number }) => number))
  return entries.flatMap((entry) => {
    const place = placeEntry(entry)
    if (place === null) return []
    const { number, atMs } = entry
    const line = { number, atMs: atMs - options.startedMs, ...place, text: activityText(entry) }
    return [proves.has(number) ? { ...line, rule: options.rule } : line]
  })
}

/** null: not a part of the story, such as a decision of a fault that triggered nothing. */
function placeEntry(entry: JournalEntry): { actor: 'client' | 'stub'; kind: TimelineKind } | null {
  switch (entry.kind) {
    case 'request':
    case 'upgrade':
      return { actor: 'client', kind: 'sent' }
    case 'fault':
      return entry.triggered ? { actor: 'stub', kind: 'fault' } : null
    case 'control':
      return null
    case 'socket':
      return placeSocketEntry(entry)
  }
}

function placeSocketEntry(entry: Extract<JournalEntry, { kind: 'socket' }>): {
  actor: 'client' | 'stub'
  kind: TimelineKind
} {
  if (entry.event === 'opened') return { actor: 'client', kind: 'opened' }
  if (entry.event === 'frame') return { actor: 'client', kind: 'sent' }
  if (entry.event === 'sent') return { actor: 'stub', kind: 'received' }
  const isByClient = entry.event === 'closed' && entry.by === 'client'
  return { actor: isByClient ? 'client' : 'stub', kind: 'closed' }
}
