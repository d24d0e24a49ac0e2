import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import type { TrialFacts } from '../../contract/capacity.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { type Appended, createSeries } from '../../reports/series/append-series.ts'
import type { InstancesRun } from '../k6/instances.ts'
import type { RunFolder } from '../runs/run-folder.ts'

/** The files of a run that is made of trials: what each measured is added as it ends, and stays whatever comes after it. */
export type TrialFiles = {
  /** Makes the folder that k6 writes into. */
  begin(trial: number): Promise<string>
  /**
   * Adds what a load measured, the facts of its trials and what k6 said of it, and removes its folder; answers whether its series are
   * whole, and what is wrong with them, in sentences. Throws a BreakwaterError (environment) where the disk takes no more: the folder
   * then stays.
   */
  finish(facts: readonly TrialFacts[], run: InstancesRun): Promise<Pick<Appended, 'complete' | 'notes'>>
  /** Ends the series: it is whole. */
  end(nowMs: number): Promise<void>
  /** Leaves the series without an end: readers say that it covers a part. */
  close(): Promise<void>
}

const TRIALS = 'trials'

/** Opens the run's series, to which each trial's are added. Throws a BreakwaterError (usage) where it cannot be written. */
export async function openTrialFiles(
  folder: Pick<RunFolder, 'dir' | 'file'>,
  options: { k6: string; startMs: number },
): Promise<TrialFiles> {
  const series = await createSeries({ file: folder.file(RUN_FILES.series), ...options })
  const dirOf = (trial: number) => join(folder.dir, TRIALS, String(trial))
  return {
    async begin(trial) {
      await mkdir(dirOf(trial), { recursive: true })
      return dirOf(trial)
    },
    async finish(facts, run) {
      const trial = facts[0]?.trial ?? 0
      const inputs = run.seriesFiles.map((file) => ({ file, name: `${TRIALS}/${trial}/${basename(file)}` }))
      const appended = await series.append(inputs)
      for (const each of facts) appendLine(folder.file(RUN_FILES.trials), JSON.stringify(each))
      for (const file of run.stderrFiles) await keepSaid(file, folder.file(RUN_FILES.k6Stderr), trial)
      await rm(dirOf(trial), { recursive: true, force: true })
      return appended
    },
    async end(nowMs) {
      await rm(join(folder.dir, TRIALS), { recursive: true, force: true })
      await series.end(nowMs)
    },
    close: series.close,
  }
}

/** Whole, or not at all. */
function appendLine(file: string, line: string): void {
  const handle = openSync(file, 'a')
  const { size } = fstatSync(handle)
  try {
    const bytes = Buffer.from(`${line}\n`)
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done)
  } catch (cause) {
    ftruncateSync(handle, size)
    throw new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
      hint: 'It holds the trials before.',
      exitCode: EXIT.environment,
      cause,
    })
  } finally {
    closeSync(handle)
  }
}

/** What k6 said in a trial: in one file for all of them, and only where it said something. */
async function keepSaid(from: string, to: string, trial: number): Promise<void> {
  const said = await readFile(from, 'utf8').catch(() => '')
  if (said.trim() === '') return
  await appendFile(to, `trial ${trial}:\n${said.trimEnd()}\n`)
}
