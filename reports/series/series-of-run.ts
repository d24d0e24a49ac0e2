import path from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { cannotRead } from '../read-lines.ts'
import { namesInRunFolder } from '../run-file.ts'
import type { SeriesInput } from './series-source.ts'

/** Where a trial is measured until it has ended: `trials/<n>/series-<k>.ndjson`, one for each k6. */
const TRIALS_DIR = 'trials'

/**
 * The files that hold what a run measured: its series.ndjson, and, where it was killed or its disk was full in the middle of a trial,
 * those of that trial. What of such a trial is in series.ndjson already is not to be read from there: it would count twice. Throws a
 * BreakwaterError (usage) if a folder of trials is a link.
 */
export async function seriesOfRun(
  dir: string,
  series: string = RUN_FILES.series,
): Promise<[SeriesInput, ...SeriesInput[]]> {
  const trials = (await namesIn(path.join(dir, TRIALS_DIR))).filter((name) => /^[0-9]+$/.test(name))
  const left: SeriesInput[] = []
  const withoutTrials = new Set<string>()
  for (const trial of trials.sort((a, b) => Number(a) - Number(b))) {
    for (const file of (await namesIn(path.join(dir, TRIALS_DIR, trial))).filter(isSeries).sort()) {
      const name = [TRIALS_DIR, trial, file].join('/')
      left.push({ file: path.join(dir, name), name })
      withoutTrials.add(trial)
    }
  }
  return [{ file: path.join(dir, series), name: series, withoutTrials }, ...left]
}

function isSeries(name: string): boolean {
  return /^series-[0-9]+\.ndjson$/.test(name)
}

function namesIn(dir: string): Promise<string[]> {
  return namesInRunFolder(dir).catch((cause) => {
    throw cannotRead(dir, cause)
  })
}
