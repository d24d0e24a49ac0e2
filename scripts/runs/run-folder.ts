import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { renderRun } from '../../reports/render-run.ts'
import { writeWhole } from '../../reports/run-file.ts'
import type { GivenHistory } from '../../reports/trend/run-trend.ts'
import { verdictTable } from '../../reports/verdict-table.ts'
import { type Io, printInterruption } from '../io.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { claimFolder, requireFreeFolder } from '../make-folder.ts'
import { logDetail, step } from '../progress/detail.ts'
import { VERSION } from '../project.ts'
import { paintFor } from '../terminal-text.ts'
import type { Plan } from './plan.ts'

export type RunFolder = {
  dir: string
  /** Relative to the working directory. */
  shown: string
  file(name: string): string
  /** Completes run.json with the fields that are known at the end. */
  finish(
    k6: Pick<K6Run, 'exitCode' | 'reason' | 'meaning' | 'finishedAtMs'>,
    more?: Partial<Pick<Run, 'versions' | 'notes'>>,
  ): Promise<void>
  /** Records in run.json that an error ended the run, unless it is finished. Never throws. */
  breakOff(error: unknown): Promise<void>
}

export type ReportFolder = Omit<RunFolder, 'finish' | 'breakOff'>

/**
 * Creates the folder of a run; its run.json has the state `running` until `finish`. Throws a BreakwaterError: usage if
 * the user's folder is not empty, environment if it cannot be created.
 */
export async function openRunFolder(
  plan: Plan & { repro?: Run['repro'] },
  options: {
    io: FolderIo
    profile: { name: string; baseUrl: string; wsUrl: string; control: string | null }
    k6Version: string
    now: Date
  },
): Promise<RunFolder> {
  const { io, profile, now } = options
  return createRunFolder(
    { job: plan.job, out: plan.out, io, startedAt: now, now },
    {
      target: {
        name: profile.name,
        baseUrl: profile.baseUrl,
        wsUrl: profile.wsUrl,
        control: profile.control !== null,
      },
      world: plan.target ? null : plan.world,
      seed: plan.seed,
      choices: plan.target ? null : plan.choices,
      ...(plan.target && { profileChoices: digest(plan.target.profile.choices) }),
      mutant: plan.mutant?.name ?? null,
      strict: plan.strict,
      minJudged: plan.minJudged ?? null,
      versions: { breakwater: VERSION, node: process.version, k6: options.k6Version },
      command: plan.command,
      rules: [...plan.rules],
      customRules: plan.customRules ?? {},
      waivers: [...(plan.waivers ?? [])],
      repro: plan.repro ?? null,
      mix: plan.mix?.name ?? null,
      arrivals: plan.arrivals?.name ?? null,
      load: plan.constantLoad ?? null,
      machine: plan.machine ?? machineClass(),
      instances: plan.instances ?? 1,
      search: plan.search ?? null,
      slo: plan.slo ?? null,
      sloSkipped: plan.sloSkipped ?? null,
    },
  )
}

/** Independent of the order of keys. */
function digest(value: object): string {
  return createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex').slice(0, 16)
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

type Known = Omit<
  Run,
  'version' | 'id' | 'job' | 'state' | 'startedAt' | 'finishedAt' | 'mergedFrom' | 'notes' | 'k6'
>

type FolderIo = Pick<Io, 'cwd' | 'interrupted' | 'stderr'>

/** `known` is the rest of run.json. Acknowledges Ctrl-C from then on. Throws like `openRunFolder`. */
export async function createRunFolder(
  options: { job: string; out: string | null; io: FolderIo; startedAt: Date; now: Date },
  known: Known,
): Promise<RunFolder> {
  const { io, ...place } = options
  const { id, release, ...folder } = await makeRunDir({ ...place, cwd: io.cwd })
  const run: Run = {
    version: 1,
    id,
    job: options.job,
    state: 'running',
    startedAt: options.startedAt.toISOString(),
    finishedAt: null,
    ...known,
    mergedFrom: [],
    notes: [],
    k6: null,
  }
  const write = (content: Run) =>
    writeWhole(folder.file(RUN_FILES.run), `${JSON.stringify(content, null, 2)}\n`)
  await write(run).finally(release)
  logDetail(`run folder: ${folder.dir}`)
  printInterruption(io)
  let isFinished = false
  const finish: RunFolder['finish'] = async ({ exitCode, reason, meaning, finishedAtMs }, more = {}) => {
    await write({
      ...run,
      ...more,
      state: chooseState({ exitCode, reason }),
      finishedAt: new Date(finishedAtMs).toISOString(),
      k6: { exitCode, reason, meaning },
    })
    isFinished = true
  }
  return {
    ...folder,
    finish,
    async breakOff(error) {
      if (!isFinished) await finish(describeError(error)).catch(() => {})
    },
  }
}

function describeError(error: unknown): Parameters<RunFolder['finish']>[0] {
  const isInterrupted = error instanceof BreakwaterError && error.exitCode === EXIT.interrupted
  return {
    exitCode: null,
    reason: isInterrupted ? 'interrupted' : 'finished',
    meaning: error instanceof Error ? error.message : String(error),
    finishedAtMs: Date.now(),
  }
}

/**
 * Creates and claims the folder of a future run: call `release` once its run.json exists or has failed. Throws like
 * `openRunFolder`.
 */
export async function makeRunDir(options: {
  job: string
  out: string | null
  cwd: string
  now: Date
}): Promise<ReportFolder & { id: string; release(): Promise<void> }> {
  const { job, out, cwd, now } = options
  const id = `${now.toISOString().slice(0, 19).replace(/[-:]/g, '')}-${job}-${now.getTime().toString(36).slice(-5)}`
  const dir = resolve(cwd, out ?? join('runs', id))
  const release = await claimFolder(dir, { shown: out ?? dir, mustBeFree: mustBeEmpty(out ?? dir) })
  return { id, release, dir, shown: relative(cwd, dir) || '.', file: (name) => join(dir, name) }
}

/** Checks the folder given with --output before anything is started. Throws like `openRunFolder`. */
export function requireFreeOutput(out: string, cwd: string): Promise<void> {
  return requireFreeFolder(resolve(cwd, out), { shown: out, mustBeFree: mustBeEmpty(out) })
}

function chooseState({ exitCode, reason }: Pick<K6Run, 'exitCode' | 'reason'>): Run['state'] {
  if (reason === 'interrupted') return 'interrupted'
  return exitCode === 0 ? 'finished' : 'failed'
}

function mustBeEmpty(shown: string): (names: readonly string[]) => void {
  return (names) => {
    if (names.length === 0) return
    throw new BreakwaterError(`${shown}: the folder is not empty, and runs never overwrite files`, {
      hint: 'Name an empty or new folder with --output.',
    })
  }
}

/** Identifies machines with comparable figures: cores, processor, system, memory. */
function machineClass(): string {
  const all = cpus()
  const model = (all[0]?.model ?? 'unknown').replaceAll(/\s+/g, ' ').trim()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${all.length} x ${model}, ${process.platform} ${process.arch}, ${gigabytes} GiB`
}

/** Renders a completed run, prints its verdict table or report.json, and returns its exit code. */
export async function printReport(options: {
  folder: ReportFolder
  json: boolean
  io: Io
  history?: GivenHistory | undefined
}): Promise<ExitCode> {
  const { folder, json, io, history } = options
  const report = await step(io, 'report', () => renderRun({ dir: folder.dir, history }))
  if (json) {
    io.document(JSON.stringify(report, null, 2))
    return report.exitCode
  }
  for (const line of verdictTable(report, paintFor(io))) io.stdout(line)
  io.stdout('')
  io.stdout(`Report: ${join(folder.shown, RUN_FILES.reportHtml)}`)
  if (existsSync(folder.file(RUN_FILES.timelineHtml)))
    io.stdout(`Timeline: ${join(folder.shown, RUN_FILES.timelineHtml)}`)
  return report.exitCode
}
