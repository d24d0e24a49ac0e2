import type { Slo } from '../contract/slo.ts'
import { type LiveState, liveState } from './html/render-live.ts'
import { readReport } from './read-report.ts'
import { readRun } from './run-file.ts'
import { followRunLines, type GrowingLines } from './run-lines.ts'
import {
  createFolds,
  findRunSeries,
  passPoint,
  type SeriesOptions,
  type SeriesRead,
} from './series/read-series.ts'
import { createSeriesLines, type SeriesInput, type SeriesLines } from './series/series-source.ts'

/**
 * The live view of a run folder. Each call reads what the folder gained and returns its state, which is the same object
 * if nothing changed. Once the run has ended, it reads the folder one last time, in full. Writes nothing. Throws like
 * `readReport`.
 */
export function followRunFolder({ dir, slo }: { dir: string; slo?: Slo }): () => Promise<LiveState> {
  const follow = followSeries(dir)
  let last: { report: string; state: LiveState } | undefined
  const look = async (): Promise<LiveState> => {
    if (last?.state.isOver) return last.state
    const isRunning = (await readRun(dir)).state === 'running'
    let isSame = false
    const input = await readReport({
      dir,
      ...(slo === undefined ? {} : { slo }),
      ...(isRunning && {
        reads: {
          async readSeries(file, options = {}) {
            const read = await follow(file, options)
            isSame = read.isSame
            return read
          },
          // It reads other runs, and the page shows no changes before the end.
          findEarlierRun: async () => ({ found: null, reason: 'the run has not finished' }),
        },
      }),
    })
    // It ended just now: read it again, in full.
    if (isRunning && input.report.run.state !== 'running') return look()
    const report = JSON.stringify(input.report)
    if (last !== undefined && isSame && last.report === report) return last.state
    last = { report, state: liveState(input) }
    return last.state
  }
  return look
}

export type FollowedSeries = SeriesRead & {
  /** True if the measurements are the same as before. */
  isSame: boolean
}

type Following = {
  key: string
  sources: { file: GrowingLines; lines: SeriesLines }[]
  folds: ReturnType<typeof createFolds>
}

/** A trial ends between two listings of its folder at most this often in one look. */
const TRIES_MAX = 3

/**
 * Reads the series of a run that is still going on, like `readSeries`: each call reads only what the files gained.
 * Starts again when a trial begins or ends, because its measurements then move to another file. Gives no notes: every
 * series is incomplete until the run ends.
 */
export function followSeries(dir: string): (file: string, options: SeriesOptions) => Promise<FollowedSeries> {
  let following: Following | undefined
  const look = async (
    options: SeriesOptions,
    isSame: boolean,
    triesLeft: number,
  ): Promise<FollowedSeries> => {
    const inputs = await findRunSeries(dir)
    const key = JSON.stringify([inputs.map(({ name }) => name), options])
    const before = following
    const now = before?.key === key ? before : start(key, inputs, options)
    following = now
    const reads = await readAll(now)
    const after = (await findRunSeries(dir)).map(({ name }) => name)
    const isChanged = reads.includes('restarted') || after.join() !== inputs.map(({ name }) => name).join()
    if (isChanged && triesLeft > 0) {
      following = undefined
      return look(options, false, triesLeft - 1)
    }
    const { folded } = now.folds
    return {
      ...folded,
      complete: inputs.length === 1 && now.sources.every(({ lines }) => lines.ended()),
      damaged: now.sources.some(({ lines }) => lines.damage() !== undefined),
      notes: [],
      isSame: isSame && now === before && reads.every((read) => read === 'same'),
    }
  }
  return (_file, options) => look(options, true, TRIES_MAX)
}

function start(key: string, inputs: readonly SeriesInput[], options: SeriesOptions): Following {
  const folds = createFolds(options)
  const sources = inputs.map((input) => ({
    file: followRunLines(input.file),
    lines: createSeriesLines(input, folds.wanted.isNeeded),
  }))
  return { key, sources, folds }
}

async function readAll({ sources, folds }: Following) {
  const reads = []
  for (const { file, lines } of sources) {
    const read = await file.read((line) => {
      if (!lines.isOver()) passPoint(lines, line, folds.wanted)
    })
    reads.push(read)
  }
  return reads
}
