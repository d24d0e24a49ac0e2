import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { Comparison } from '../../contract/comparison.ts'
import { compareFolders, compareRuns } from '../../reports/compare/compare-folders.ts'
import { type RunSummary, readRunSummary } from '../../reports/compare/read-run-summary.ts'
import type { RunFigures } from '../../reports/compare/run-figures.ts'
import { FIRST_LOOK } from '../../reports/compare/until-sure.ts'
import { planLooks } from '../../reports/statistics/alpha-spending.ts'
import { HOW_SINGLE } from '../runs/print-comparison.ts'

export type SideName = 'a' | 'b'
export type PairOrder = readonly [first: SideName, second: SideName]

/** The folders of a pair's completed runs. */
export type PairDirs = Partial<Record<SideName, string | undefined>>

/** Decides how many pairs are run, and compares them. */
export type RunJudge = {
  /** Unless all pairs run: then a pair without one of its runs is of no use. */
  mayStopEarly: boolean
  /** Returns true if no pair need follow. */
  takePair(dirs: PairDirs): Promise<boolean>
  compare(end: { isInterrupted: boolean }): Promise<Comparison>
}

type Labels = Readonly<Record<SideName, string>>

/** Orders the runs ABBA, so that slow changes, such as the machine's temperature, affect both sides alike. */
export function alternateOrders(pairs: number): PairOrder[] {
  return Array.from({ length: pairs }, (_, index) => (index % 2 === 0 ? ['a', 'b'] : ['b', 'a']))
}

/** Draws the order of each pair, because the number of pairs, and so the balance of both orders, is not known in advance. */
export function drawOrders(pairs: number, seed: number): PairOrder[] {
  const random = xoroshiro128plus(seed)
  return Array.from({ length: pairs }, () => (uniformInt(random, 0, 1) === 0 ? ['a', 'b'] : ['b', 'a']))
}

/** For `--repeat`: compares all completed runs. */
export function judgeAtEnd(labels: Labels, { allowSingleRun }: { allowSingleRun: boolean }): RunJudge {
  const dirs: Record<SideName, string[]> = { a: [], b: [] }
  return {
    mayStopEarly: false,
    async takePair({ a, b }) {
      if (a !== undefined) dirs.a.push(a)
      if (b !== undefined) dirs.b.push(b)
      return false
    },
    compare: () =>
      compareFolders({
        a: { label: labels.a, dirs: dirs.a },
        b: { label: labels.b, dirs: dirs.b },
        allowSingleRun,
        acrossTargets: true,
        notes: allowSingleRun || dirs.a.length + dirs.b.length > 2 ? [] : [HOW_SINGLE],
      }),
  }
}

/** For `--until-sure`: compares the complete pairs after each pair, until the comparison decides. */
export function judgeUntilSure(
  labels: Labels,
  options: { maxPairs: number; orderSeed: number; log: (line: string) => void },
): RunJudge {
  const { maxPairs, orderSeed, log } = options
  const plan = planLooks({ firstLook: FIRST_LOOK, maxPairs })
  const runs: Record<SideName, RunSummary[]> = { a: [], b: [] }
  const known = new Map<RunSummary, RunFigures>()
  const compareNow = (unlessSure: 'maximum' | 'interrupted') =>
    compareRuns({
      a: { label: labels.a, runs: runs.a },
      b: { label: labels.b, runs: runs.b },
      acrossTargets: true,
      allowSingleRun: true,
      known,
      untilSure: { plan, orderSeed, unlessSure },
    })
  return {
    mayStopEarly: true,
    async takePair({ a, b }) {
      if (a === undefined || b === undefined) return false
      runs.a.push(await readRunSummary(a))
      runs.b.push(await readRunSummary(b))
      const { untilSure, method } = compareNow('interrupted')
      if (untilSure === undefined || untilSure.outcome !== 'interrupted') return true
      const { pairs, undecided } = untilSure
      if (pairs >= FIRST_LOOK)
        log(`after ${pairs} pairs: ${undecided} of ${method.family} comparisons are undecided`)
      return false
    },
    compare: async ({ isInterrupted }) => compareNow(isInterrupted ? 'interrupted' : 'maximum'),
  }
}
