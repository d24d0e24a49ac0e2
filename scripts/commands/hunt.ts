import { join, resolve } from 'node:path'
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import {
  CASES_HINT,
  type NamedHuntCase,
  readCase,
  readCases,
  writeCase,
  writeCases,
} from '../../hunt/hunt-case.ts'
import { mustWork } from '../../hunt/must-work.ts'
import { type HuntWorld, huntWorldSchema, type RunSchedule } from '../../hunt/schedule.ts'
import { CONFIRMATIONS, cutTimeline, type HuntProgress, runCase, searchSchedules } from '../../hunt/search.ts'
import { huntStyles } from '../../reports/html/render-hunt.ts'
import { countText, huntLines, perMinute, timelineLines } from '../../reports/hunt-text.ts'
import { writeHunt } from '../../reports/render-hunt.ts'
import { visibleLine } from '../../reports/visible.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { buildHuntReport, followHunt, toTimeline } from '../hunt/follow-hunt.ts'
import { type GivenClient, withCommandRunner, withRunner } from '../hunt/run-external.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import type { LiveView } from '../live/live-view.ts'
import { type LiveOptions, withLiveView } from '../live/with-live-view.ts'
import { requireWritableFolder } from '../make-folder.ts'
import { makeRunDir, requireFreeOutput } from '../runs/run-folder.ts'
import { commandLine, paintFor } from '../terminal-text.ts'

export type HuntOptions = Omit<GivenClient, 'isExamined'> & {
  /** Milliseconds, like `duration`, which is the longest time of a run. */
  budget: number
  duration: number
  maxSchedules?: number
  cases: string
  output?: string
  world: string
  seed: number
  /** More than one only with `client`: a stub that is already in use keeps its choices. */
  choices: readonly ChoiceSetName[]
  json?: true
} & LiveOptions

/**
 * Returns 1 if the client violated a rule or still shows the violation of a case, else 0. Throws a BreakwaterError: usage for a bad
 * option or case, environment if the client does not work without faults.
 */
export async function runHunt(options: HuntOptions): Promise<ExitCode> {
  const { io } = options
  loadWorldFixture(options.world)
  const folder = resolve(io.cwd, options.cases)
  const cases = await readCases(folder, options.cases)
  const { world, seed, choices, duration: durationMs, output, live } = options
  const worlds = choices.map((each) => huntWorldSchema.parse({ world, seed, choices: each, durationMs }))
  await requireWritableFolder(folder, { shown: options.cases, hint: CASES_HINT })
  if (output !== undefined) await requireFreeOutput(output, io.cwd)
  return withLiveView({ io, live, styles: huntStyles() }, (view) =>
    searchAndReport(options, { view, worlds, cases, folder }),
  )
}

async function searchAndReport(
  options: HuntOptions,
  given: {
    view: LiveView | undefined
    worlds: readonly HuntWorld[]
    cases: readonly NamedHuntCase[]
    folder: string
  },
): Promise<ExitCode> {
  const { io, seed, output } = options
  const { view, worlds, cases, folder } = given
  const startedMs = performance.now()
  const startedAt = new Date()
  const command = commandLine(io.argv)
  const follower = followHunt({ startedAt, command })
  view?.show(follower.look)
  const isOver = () => io.interrupted.aborted || performance.now() - startedMs >= options.budget
  const found = await withRunner(options, worlds, (run, parallel) =>
    searchSchedules({
      run,
      worlds,
      seed,
      parallel,
      cases,
      isOver,
      isExact: false,
      ...(options.maxSchedules !== undefined && { schedulesMax: options.maxSchedules }),
      onProgress(progress) {
        const elapsedMs = performance.now() - startedMs
        if (progress.runs > 0) io.status(progressParts(progress, elapsedMs))
        follower.add(progress, elapsedMs)
      },
    }),
  )
  if (found.schedules === 0) throwIfInterrupted(io.interrupted)
  const { files, failure } = writeCases(found.findings, ({ minimum }) =>
    writeCase(minimum, { folder, shown: options.cases }),
  )
  io.status(null)
  const report = buildHuntReport(found, { files, startedAt, command })
  const written = await makeRunDir({ job: 'hunt', out: output ?? null, cwd: io.cwd, now: startedAt })
  await writeHunt(written.dir, report).finally(written.release)
  follower.end(report)
  if (options.json) io.document(JSON.stringify(report, null, 2))
  else {
    for (const line of huntLines(report, paintFor(io))) io.stdout(line)
    io.stdout(`Report: ${join(written.shown, RUN_FILES.huntHtml)}`)
  }
  if (failure !== undefined) throw failure
  return report.exitCode
}

function progressParts(
  { schedules, runs, exercised, duties, findings, shrinking }: HuntProgress,
  ms: number,
): string[] {
  return [
    `${exercised} of ${duties} client rules exercised`,
    countText(findings, 'finding'),
    `${countText(schedules, 'schedule')} (${perMinute(runs, ms)} runs/min)`,
    ...(shrinking === null ? [] : [`shrinking ${shrinking}`]),
  ]
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
    const evidence = violation?.evidence ?? []
    const startedMs = result.entries[0]?.atMs ?? 0
    const timeline = toTimeline(cutTimeline(result.entries, evidence), { startedMs, evidence, rule })
    for (const line of timelineLines(timeline)) io.stdout(line)
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
