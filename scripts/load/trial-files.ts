import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs'
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import type { TrialFacts } from '../../contract/capacity.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { checkLog } from '../../histories/check-log.ts'
import { writeWhole } from '../../reports/run-file.ts'
import { type Appended, createSeries } from '../../reports/series/append-series.ts'
import type { Io } from '../io.ts'
import type { InstancesRun } from '../k6/instances.ts'
import { step } from '../progress/detail.ts'
import type { RunFolder } from '../runs/run-folder.ts'

/** The files of a run made of trials. Each trial's data is appended when it ends and survives later failures. */
export type TrialFiles = {
  begin(trial: number): Promise<string>
  /**
   * Appends the series, facts and k6 output of a load and removes its folder. Returns problems of the series as
   * sentences. Throws a BreakwaterError (environment) if the disk rejects a write; the folder then stays.
   */
  finish(facts: readonly TrialFacts[], run: InstancesRun): Promise<Pick<Appended, 'notes'>>
  /** Ends the series; it has an end line if those of all loads were complete. */
  end(nowMs: number): Promise<void>
  /** Closes the series without an end line, which marks it as partial. */
  close(): Promise<void>
}

const TRIALS = 'trials'

export async function openTrialFiles(
  folder: Pick<RunFolder, 'dir' | 'file'>,
  options: { k6: string; startMs: number },
): Promise<TrialFiles> {
  const series = await createSeries({ file: folder.file(RUN_FILES.series), ...options })
  const getTrialFolder = (trial: number) => join(folder.dir, TRIALS, String(trial))
  return {
    async begin(trial) {
      await mkdir(getTrialFolder(trial), { recursive: true })
      return getTrialFolder(trial)
    },
    async finish(facts, run) {
      const trial = facts[0]?.trial ?? 0
      const inputs = run.seriesFiles.map((file) => ({ file, name: `${TRIALS}/${trial}/${basename(file)}` }))
      const appended = await series.append(inputs)
      const missing = appended.complete ? {} : { samplesMissing: true }
      for (const each of facts)
        appendLine(folder.file(RUN_FILES.trials), JSON.stringify({ ...each, ...missing }))
      for (const file of run.historyFiles) await appendHistory(file, folder.file(RUN_FILES.history))
      for (const file of run.stderrFiles) await appendOutput(file, folder.file(RUN_FILES.k6Stderr), trial)
      await rm(getTrialFolder(trial), { recursive: true, force: true })
      return appended
    },
    async end(nowMs) {
      await rm(join(folder.dir, TRIALS), { recursive: true, force: true })
      await series.end(nowMs)
    },
    close: series.close,
  }
}

function appendLine(file: string, line: string): void {
  const handle = openSync(file, 'a')
  const { size } = fstatSync(handle)
  try {
    const bytes = Buffer.from(`${line}\n`)
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done)
  } catch (cause) {
    ftruncateSync(handle, size)
    throw new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
      hint: 'It holds the earlier trials.',
      exitCode: EXIT.environment,
      cause,
    })
  } finally {
    closeSync(handle)
  }
}

/** Appends k6's output of a trial, if any, to one file for all trials. */
async function appendOutput(from: string, to: string, trial: number): Promise<void> {
  const said = await readFile(from, 'utf8').catch(() => '')
  if (said.trim() === '') return
  await appendFile(to, `trial ${trial}:\n${said.trimEnd()}\n`)
}

/** Appends the operation log of a k6 process to that of the run. A process that never began has none. */
export async function appendHistory(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'a' })).catch((cause) => {
    if (cause.code === 'ENOENT') return
    throw cannotWrite(to, cause)
  })
}

/**
 * Checks the operation log of a run, and saves a finding for each rule and the violations to draw. Throws a
 * BreakwaterError (environment) if the disk rejects a write.
 */
export async function judgeHistory(
  folder: Pick<RunFolder, 'file'>,
  { rules, io }: { rules: readonly string[]; io: Io },
): Promise<void> {
  if (rules.length === 0) return
  const { findings, histories } = await step(io, 'histories', () =>
    checkLog(folder.file(RUN_FILES.history), { rules, nowMs: Date.now() }),
  )
  const file = folder.file(RUN_FILES.findings)
  const lines = findings.map((finding) => `${JSON.stringify(finding)}\n`).join('')
  await appendFile(file, lines).catch((cause) => {
    throw cannotWrite(file, cause)
  })
  await writeWhole(folder.file(RUN_FILES.histories), `${JSON.stringify(histories)}\n`)
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    exitCode: EXIT.environment,
    cause,
  })
}
