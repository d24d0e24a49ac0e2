import { appendFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { readTrials } from '../../reports/capacity/trials.ts'
import { cannotRead, readRun, readRunFile, writeWhole } from '../../reports/run-file.ts'
import { mergeSeries } from '../../reports/series/append-series.ts'
import { findRunSeries } from '../../reports/series/read-series.ts'
import { loadSlo } from '../given-files.ts'
import type { Io } from '../io.ts'
import { mergedRun, mergedTrial, mustBeOneRun, type SourceRun } from '../run-history/merged-run.ts'
import { makeRunDir, printReport } from '../runs/run-folder.ts'
import { commandLine } from '../terminal-text.ts'

export type MergeOptions = {
  io: Io
  dirs: readonly string[]
  /** Replaces the objectives of the runs. */
  slo?: string
  output?: string
  json?: true
}

/**
 * Returns the exit code of the merged run. Throws a BreakwaterError: usage if the folders are not runs of one load, environment if the
 * result cannot be written. Removes a partial result.
 */
export async function runMerge(options: MergeOptions): Promise<ExitCode> {
  const { io } = options
  const slo = options.slo === undefined ? undefined : await loadSlo(options.slo, io.cwd)
  const sources = await Promise.all(options.dirs.map((shown) => readSource(shown, io.cwd)))
  mustBeOneRun(sources, { sloGiven: slo !== undefined })
  const [first, ...others] = sources
  if (first === undefined) throw new RangeError('nothing to merge')
  const all = [first, ...others] as const
  const now = new Date()
  const { id, release, ...folder } = await makeRunDir({
    job: `${first.run.job}-merged`,
    out: options.output ?? null,
    cwd: io.cwd,
    now,
  })
  try {
    const about = { id, command: commandLine(io.argv), slo: slo ?? first.run.slo }
    await writeMerged({ sources: all, about, file: folder.file, io, now })
  } catch (error) {
    await Promise.all(WRITTEN.map((name) => rm(folder.file(name), { force: true })))
    throw error
  } finally {
    await release()
  }
  return printReport({ folder, json: options.json === true, io })
}

const WRITTEN = [RUN_FILES.run, RUN_FILES.series, RUN_FILES.findings, RUN_FILES.trials]

async function readSource(shown: string, cwd: string): Promise<SourceRun> {
  const dir = resolve(cwd, shown)
  const run = await readRun(dir, { shown })
  const { trials } = await readTrials(join(dir, RUN_FILES.trials))
  return { shown, run, trials }
}

async function writeMerged(options: {
  sources: readonly [SourceRun, ...SourceRun[]]
  about: Pick<Run, 'id' | 'command' | 'slo'>
  file: (name: string) => string
  io: Io
  now: Date
}): Promise<void> {
  const { sources, about, file, io, now } = options
  const [first] = sources
  const inputs = await Promise.all(
    sources.map(async ({ shown }) =>
      (await findRunSeries(resolve(io.cwd, shown))).map((input) => ({
        ...input,
        name: join(shown, input.name),
      })),
    ),
  )
  const { notes } = await mergeSeries({
    inputs: inputs.flat(),
    output: file(RUN_FILES.series),
    version: first.run.versions.k6,
    startMs: Math.min(...sources.map(({ run }) => Date.parse(run.startedAt))),
    nowMs: now.getTime(),
  })
  await writeFindings(sources, file(RUN_FILES.findings), io.cwd)
  const trialNotes = await writeTrial(sources, file(RUN_FILES.trials))
  const run = mergedRun(sources, { ...about, notes: [...notes, ...trialNotes] })
  await writeWhole(file(RUN_FILES.run), `${JSON.stringify(run, null, 2)}\n`)
}

async function writeFindings(sources: readonly SourceRun[], output: string, cwd: string): Promise<void> {
  for (const { shown } of sources) {
    const file = join(resolve(cwd, shown), RUN_FILES.findings)
    const text = await readRunFile(file).catch((cause) => {
      if (cause.code === 'ENOENT') return ''
      throw cannotRead(file, cause)
    })
    await appendFile(output, text === '' || text.endsWith('\n') ? text : `${text}\n`).catch((cause) => {
      throw new BreakwaterError(`${output}: cannot be written: ${fileFailure(cause)}`, {
        hint: 'The disk must have free space. The source runs are unchanged.',
        exitCode: EXIT.environment,
        cause,
      })
    })
  }
}

/** Merges the trials of all sources into one. Returns a note for each source without a trial. */
async function writeTrial(sources: readonly SourceRun[], output: string): Promise<string[]> {
  const [part, ...parts] = sources.flatMap(({ trials }) => trials.slice(0, 1))
  if (part === undefined) return []
  await writeWhole(output, `${JSON.stringify(mergedTrial([part, ...parts]))}\n`)
  return sources
    .filter(({ trials }) => trials.length === 0)
    .map(
      ({ shown }) =>
        `${join(shown, RUN_FILES.trials)} contains no trial: the state of that generator is unknown.`,
    )
}
