import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { projectPath } from '../../scripts/project.ts'
import { runChild, spread } from './measuring.ts'
import { buildSeries, METRICS, PARSE_SCRIPT, SECONDS } from './report.bench.ts'
import { benchUntilSure } from './until-sure.bench.ts'

const ROUNDS = 5
const ROUTES = 12
const REQUESTS = 10_000_000
const SIDES = ['a', 'b'] as const

/**
 * Cost of comparing two synthetic one-hour runs of 10 million requests each, including the start of Node; then the accuracy of
 * `--until-sure`.
 */
export async function benchCompare({ print }: { print: (line: string) => void }): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'breakwater-bench-'))
  try {
    for (const [index, side] of SIDES.entries()) {
      await makeSyntheticRun({
        dir: path.join(dir, side),
        seed: 1 + index,
        seconds: SECONDS,
        samplesPerSecond: Math.ceil(REQUESTS / (SECONDS * ROUTES)),
        series: buildSeries(ROUTES, METRICS),
      })
    }
    const rounds = Array.from({ length: ROUNDS }, () => ({
      compare: runChild(COMPARE_SCRIPT, { RUNS_DIR: dir }),
      parse: SIDES.map((side) => runChild(PARSE_SCRIPT, { RUN_DIR: path.join(dir, side) })),
    }))
    const seconds = rounds.map(({ compare }) => compare.wallMs / 1000)
    const ratios = rounds.map(
      ({ compare, parse }) => compare.wallMs / parse.reduce((sum, { wallMs }) => sum + wallMs, 0),
    )
    print(
      `comparison of two runs of one hour, ${ROUTES} routes and 10 million requests each, ${ROUNDS} rounds:`,
    )
    print(
      `  ${spread(seconds)} s (target 5), peak ${spread(rounds.map(({ compare }) => compare.rssMb))} MB, ${spread(ratios)} times the parsing alone`,
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
  benchUntilSure({ print })
}

const COMPARE_SCRIPT = `
  const { compareFolders } = await import(${JSON.stringify(projectPath('reports/compare/compare-folders.ts'))})
  const { writeComparison } = await import(${JSON.stringify(projectPath('reports/render-comparison.ts'))})
  const side = (name) => ({ label: name, dirs: [process.env.RUNS_DIR + '/' + name] })
  await writeComparison(process.env.RUNS_DIR, await compareFolders({ a: side('a'), b: side('b'), allowSingleRun: true }))`
