import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { releaseName } from '../../contract/run-record.ts'
import { suggestNames } from '../../contract/suggest-names.ts'
import { renderTrendHtml } from '../../reports/html/render-trend.ts'
import { writeWhole } from '../../reports/run-file.ts'
import { judgeTrends } from '../../reports/trend/judge-trend.ts'
import type { Released } from '../../reports/trend/run-trend.ts'
import { isRegression, trendLines } from '../../reports/trend/trend-text.ts'
import type { Io } from '../io.ts'
import { makeRecord, mustAgree, mustBeHistory, openHistory, writeRecord } from '../run-history/run-records.ts'

export const HISTORY_FOLDER = 'run-history'

export type TrendCommandOptions = {
  io: Io
  history: string | undefined
  job?: string
  target?: string
  mix?: string
  since?: string
  alpha: number
  minEffect: number
  last: number
  seed: number
  html?: string
  json?: true
}

/**
 * Exits with 1 if the last confirmed change of a group is a regression, or, with `since`, any confirmed one after that run. Throws a
 * BreakwaterError (usage) if the history is missing or nothing in it was selected.
 */
export async function runTrend(options: TrendCommandOptions): Promise<ExitCode> {
  const { io, history: shown = HISTORY_FOLDER } = options
  const { records, damaged } = await openHistory(shown, io)
  const selected = records.filter(
    ({ job, target, mix }) =>
      (options.job ?? job) === job && (options.target ?? target) === target && (options.mix ?? mix) === mix,
  )
  if (selected.length === 0) {
    throw new BreakwaterError(`${shown}: no run matches: ${records.length} runs in the history`, {
      hint: 'Add runs with `breakwater runs push`, or select others with --job, --target and --mix.',
    })
  }
  const since = findSince(options.since, selected)
  const { seed, alpha, minEffect, last } = options
  const trends = judgeTrends(selected, { seed, alpha, minEffect, runsMax: last })
  const isWorse = trends.some((trend) => isRegression(trend, since))
  if (options.json)
    io.document(JSON.stringify({ verdict: isWorse ? 'worse' : 'pass', trends, damaged }, null, 2))
  else for (const line of trendLines(trends)) io.stdout(line)
  if (options.html !== undefined)
    await writeWhole(
      resolve(io.cwd, options.html),
      renderTrendHtml(trends),
      'Name a file in an existing, writable folder.',
    )
  return isWorse ? EXIT.failed : EXIT.ok
}

/** The start of the named run, or of the first run of the named release. */
function findSince(
  name: string | undefined,
  records: readonly { id: string; release: string | null; startedAt: string }[],
): number | undefined {
  if (name === undefined) return undefined
  const named = records.filter(({ id, release }) => id === name || release === name)
  if (named.length === 0) {
    const names = [
      ...new Set(records.flatMap(({ id, release }) => [id, ...(release === null ? [] : [release])])),
    ]
    throw new BreakwaterError(`--since: no run or release ${JSON.stringify(name)}`, {
      hint: `${suggestNames(name, names)}. --json lists all runs.`,
    })
  }
  return Math.min(...named.map(({ startedAt }) => Date.parse(startedAt)))
}

export type PushOptions = { io: Io; dirs: readonly string[]; history?: string; json?: true } & Partial<
  Record<keyof Released, string>
>

/** As the schema of records has it: otherwise the run could be added, and not read again. */
function mustBeName(option: string, text: string | null): void {
  const { error } = releaseName.nullable().safeParse(text)
  if (error) throw new BreakwaterError(`${option} ${JSON.stringify(text)}: ${error.issues[0]?.message}`)
}

/** Adds runs to a history. Checks all before it writes the first. */
export async function runRunsPush({
  io,
  dirs,
  history = HISTORY_FOLDER,
  release,
  commit,
  json,
}: PushOptions): Promise<ExitCode> {
  const released = { release: release ?? null, commit: commit ?? null }
  for (const [name, text] of Object.entries(released)) mustBeName(`--${name}`, text)
  const folder = resolve(io.cwd, history)
  await mustBeHistory(folder, history)
  const records = await Promise.all(dirs.map((dir) => makeRecord(resolve(io.cwd, dir), released, dir)))
  for (const record of records) mustAgree(folder, record, history)
  const runs: { id: string; outcome: 'added' | 'kept' }[] = []
  for (const record of records) {
    const outcome = (await writeRecord(folder, record)) ? 'added' : 'kept'
    runs.push({ id: record.id, outcome })
    if (!json)
      io.stdout(
        `${outcome.padEnd(5)}  ${record.id}${outcome === 'kept' ? ': the history has it already' : ''}`,
      )
  }
  if (json) io.document(JSON.stringify({ history, runs }, null, 2))
  return EXIT.ok
}
