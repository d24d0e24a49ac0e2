import type { Slo } from '../contract/slo.ts'
import { type LiveState, liveState } from './html/render-live.ts'
import { readReport } from './read-report.ts'
import { readRun } from './run-file.ts'
import { followSeries } from './series/follow-series.ts'

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
