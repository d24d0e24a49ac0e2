import { resolve } from 'node:path'
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { type NamedHuntCase, readCase, readCases, writeCase } from '../../hunt/case-files.ts'
import { describeSchedule } from '../../hunt/describe-schedule.ts'
import { huntWorldSchema, type RunSchedule } from '../../hunt/schedule.ts'
import {
  CONFIRMATIONS,
  type HuntFinding,
  type HuntProgress,
  type HuntReport,
  mustWork,
  runCase,
  searchSchedules,
} from '../../hunt/search.ts'
import { type JunitCase, junitText } from '../../reports/junit-text.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { JournalEntry } from '../../simulator/activity-journal.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { type GivenClient, withCommandRunner, withRunner } from '../hunt/run-external.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { entryText } from '../journal-entry-text.ts'
import { openOutputFile } from '../output-file.ts'
import { PLAIN, paintFor, type TerminalPaint } from '../terminal-text.ts'

export type HuntOptions = Omit<GivenClient, 'isExamined'> & {
  /** Milliseconds, like `duration`, which is the longest time of a run. */
  budget: number
  duration: number
  maxSchedules?: number
  cases: string
  junit?: string
  world: string
  seed: number
  choices: ChoiceSetName
  json?: true
}

/**
 * Returns 1 if the client violated a rule or still shows the violation of a case, else 0. Throws a BreakwaterError: usage for a bad
 * option or case, environment if the client does not work without faults.
 */
export async function runHunt(options: HuntOptions): Promise<ExitCode> {
  const { io } = options
  loadWorldFixture(options.world)
  const folder = resolve(io.cwd, options.cases)
  const cases = await readCases(folder, options.cases)
  const { world, seed, choices, duration: durationMs } = options
  const huntWorld = huntWorldSchema.parse({ world, seed, choices, durationMs })
  const startedMs = performance.now()
  const timestamp = new Date().toISOString()
  const isOver = () => io.interrupted.aborted || performance.now() - startedMs >= options.budget
  const { junit } = options
  const file =
    junit === undefined
      ? undefined
      : await openOutputFile({ file: resolve(io.cwd, junit), shown: junit, interrupted: io.interrupted })
  try {
    const report = await withRunner(options, huntWorld, (run, parallel) =>
      searchSchedules({
        run,
        world: huntWorld,
        seed,
        parallel,
        cases,
        isOver,
        isExact: false,
        ...(options.maxSchedules !== undefined && { schedulesMax: options.maxSchedules }),
        onProgress: (progress) => io.status(progressParts(progress, performance.now() - startedMs)),
      }),
    )
    if (report.schedules === 0) throwIfInterrupted(io.interrupted)
    const files = report.findings.map(({ minimum }) => writeCase(minimum, { folder, shown: options.cases }))
    io.status(null)
    file?.write(huntJunit(report, timestamp))
    file?.finish()
    if (options.json) io.document(JSON.stringify(report, null, 2))
    else for (const line of reportText(report, files, paintFor(io))) io.stdout(line)
    const reproduced = report.cases.some(({ reproduces }) => reproduces)
    return report.findings.length > 0 || reproduced ? EXIT.failed : EXIT.ok
  } finally {
    file?.discard()
  }
}

function progressParts(
  { schedules, runs, exercised, duties, findings, shrinking }: HuntProgress,
  ms: number,
): string[] {
  return [
    `${exercised} of ${duties} duties exercised`,
    countText(findings, 'finding'),
    `${countText(schedules, 'schedule')} (${(runs / Math.max(ms / 60_000, 1 / 60)).toFixed(0)} runs/min)`,
    ...(shrinking === null ? [] : [`shrinking ${shrinking}`]),
  ]
}

function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function reportText(report: HuntReport, files: readonly string[], paint: TerminalPaint): string[] {
  const { findings, cases, duties } = report
  const violated = duties.filter((duty) => duty.violated > 0).length
  const idle = duties.filter((duty) => duty.exercised === 0 && duty.violated === 0).map(({ rule }) => rule)
  return [
    ...cases.map(
      ({ file, reproduces }) =>
        `${visibleLine(file)}: ${reproduces ? paint.red('still reproduces') : 'fixed'}`,
    ),
    ...findings.flatMap((finding, place) => [...findingText(finding, paint), `  case     ${files[place]}`]),
    ...(idle.length > 0 ? [`not exercised: ${idle.join(', ')}`] : []),
    `${countText(findings.length, 'finding')} in ${countText(report.schedules, 'schedule')} (${report.runs} runs); ${duties.length} duties: ${violated} violated, ${duties.length - violated - idle.length} exercised without a violation, ${idle.length} not exercised`,
  ]
}

const TIMELINE_MAX = 12

function findingText(finding: HuntFinding, paint: TerminalPaint): string[] {
  const { rule, client, observed, advice, minimum, reproduced, timeline } = finding
  return [
    `${paint.red(rule)}  ${visibleLine(client)}`,
    `  seen     ${visibleLine(observed)}`,
    `  do       ${visibleLine(advice)}`,
    ...describeSchedule(minimum.schedule?.faults ?? []).map((line) => `  faults   ${visibleLine(line)}`),
    `  confirmed ${reproduced.times} of ${reproduced.of} runs`,
    ...timelineText(timeline, finding.evidence).map((line) => `  journal  ${line}`),
  ]
}

/** The entries before the last one that proves the violation. */
function timelineText(timeline: readonly JournalEntry[], evidence: readonly JournalEntry[]): string[] {
  const last = evidence.at(-1)?.number ?? timeline.at(-1)?.number ?? 0
  const until = timeline.filter(({ number, kind }) => number <= last && kind !== 'control')
  return until.slice(-TIMELINE_MAX).map((entry) => visibleLine(entryText(entry)))
}

/** One test case per duty: failed with its findings, passed if it bound the client, otherwise skipped; and one per earlier case. */
function huntJunit({ duties, findings, cases }: HuntReport, timestamp: string): string {
  const ofDuties = duties.map(({ rule, exercised }): JunitCase => {
    const found = findings.filter((finding) => finding.rule === rule)
    const [first] = found
    const common = { className: 'client', name: rule }
    if (first) {
      const detail = found.flatMap((finding) => findingText(finding, PLAIN)).join('\n')
      return { ...common, outcome: { element: 'failure', message: first.observed, detail } }
    }
    if (exercised > 0) return { ...common, outcome: undefined }
    const message = 'not exercised by any schedule'
    return { ...common, outcome: { element: 'skipped', message, detail: message } }
  })
  const ofCases = cases.map(({ file, finding: { observed }, reproduces }): JunitCase => {
    const outcome = reproduces
      ? ({ element: 'failure', message: `still reproduces: ${observed}`, detail: observed } as const)
      : undefined
    return { className: 'case', name: file, outcome }
  })
  return junitText({
    name: 'breakwater hunt',
    suites: [{ name: 'rules', timestamp, cases: [...ofCases, ...ofDuties] }],
  })
}

export type ReproHuntOptions = { io: Io; case: string; client: string; json?: true }

/** Returns 1 if the violation of the case appears in one of a few runs, else 0. Throws as `runHunt` does. */
export async function runHuntCase({ io, case: name, client, json }: ReproHuntOptions): Promise<ExitCode> {
  const read = await readCase(resolve(io.cwd, name), name)
  loadWorldFixture(read.world.world)
  const { result, violation, tries } = await withCommandRunner({ command: client, io }, (run) =>
    runUntilShown(read, run, io),
  )
  throwIfInterrupted(io.interrupted)
  const { rule, observed } = read.finding
  if (json)
    io.document(JSON.stringify({ ...read.finding, reproduces: violation !== undefined, tries }, null, 2))
  else {
    for (const line of timelineText(result.entries, violation?.evidence ?? [])) io.stdout(line)
    io.stdout(
      violation
        ? `${rule}: still reproduces: ${visibleLine(violation.observed)}`
        : `${rule}: did not appear in ${countText(tries, 'run')}; it was: ${visibleLine(observed)}`,
    )
  }
  return violation ? EXIT.failed : EXIT.ok
}

async function runUntilShown(read: NamedHuntCase, run: RunSchedule, io: Io) {
  for (let tries = 1; ; tries++) {
    const { result, violation } = await runCase(read, run)
    mustWork(result, read.world)
    if (violation || tries === CONFIRMATIONS || io.interrupted.aborted) return { result, violation, tries }
  }
}
