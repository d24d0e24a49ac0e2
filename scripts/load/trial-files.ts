import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import type { TrialFacts } from '../../contract/capacity.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { type Appended, createSeries } from '../../reports/series/append-series.ts'
import type { InstancesRun } from '../k6/instances.ts'
import type { RunFolder } from '../runs/run-folder.ts'
import { appendHistory } from './append-history.ts'

/** The files of a run made of trials. Each trial's data is appended when it ends and survives later failures. */
export type TrialFiles = {
  begin(trial: number): Promise<string>
  /**
   * Appends the series, facts and k6 output of a load and removes its folder. Returns whether the series are whole, and
   * their problems as sentences. Throws a BreakwaterError (environment) if the disk rejects a write; the folder then
   * stays.
   */
  finish(facts: readonly TrialFacts[], run: InstancesRun): Promise<Pick<Appended, 'complete' | 'notes'>>
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
      for (const each of facts) appendLine(folder.file(RUN_FILES.trials), JSON.stringify(each))
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
