import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type RunStock,
  SIMULATED_ROUTE,
  type SimulatedRoute,
  simulateFixed,
  simulateUntilSure,
  stockRuns,
  UNEVEN_ROUTE,
} from '../../reports/compare/simulated-run.ts'
import { FIRST_LOOK } from '../../reports/compare/until-sure.ts'
import { planLooks } from '../../reports/statistics/alpha-spending.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { projectPath } from '../../scripts/project.ts'
import { runChild, spread } from './measuring.ts'
import { buildSeries, METRICS, PARSE_SCRIPT, SECONDS } from './report.bench.ts'

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
        run: { id: side },
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

const COMPARISONS = 1000
const MAX_PAIRS = 20
const SLOWER = { slowedRoute: 3, by: 1.15 }
const FOUND = 'worse GET /pools 3'
const FOUND_MIN_SHARE = 0.9

/** The noise of the tests of the comparison: `simulated-run.ts`, `families.test.ts`, and runs that vary by 2 %. */
const NOISES: readonly { name: string; route: SimulatedRoute }[] = [
  { name: 'runs that vary by 7 %', route: SIMULATED_ROUTE },
  {
    name: 'runs that vary by 4 %',
    route: { ...SIMULATED_ROUTE, spread: 0.3, runSpread: 0.03, secondSpread: 0.05 },
  },
  {
    name: 'runs that vary by 2 %',
    route: { ...SIMULATED_ROUTE, spread: 0.15, runSpread: 0.015, secondSpread: 0.03 },
  },
  {
    name: 'responses of 20 ms and more, and errors',
    route: UNEVEN_ROUTE,
  },
]

/** False positives, detections and runs of `compare --until-sure`, simulated with eight routes and runs of 20 s. */
function benchUntilSure({
  print,
  comparisons = COMPARISONS,
}: {
  print: (line: string) => void
  comparisons?: number
}): void {
  print(`compare --until-sure, ${comparisons} simulated comparisons each, at most ${MAX_PAIRS} pairs:`)
  for (const { name, route } of NOISES) {
    const stock = stockRuns({ route, routes: 8, size: 1000, seconds: 20, seed: 1 })
    print(`  ${name}:`)
    print(`    equal builds: ${describeEqual(stock, comparisons)}`)
    print(`    one route 15 % slower: ${describeSlower(stock, comparisons)}`)
  }
}

function simulate(stock: RunStock, comparisons: number, slowed?: typeof SLOWER) {
  const plan = planLooks({ firstLook: FIRST_LOOK, maxPairs: MAX_PAIRS })
  const sides = { a: () => stock.draw(), b: () => stock.draw(slowed) }
  const results = Array.from({ length: comparisons }, () => simulateUntilSure(sides, plan))
  const pairs = results.reduce((sum, result) => sum + result.pairs, 0) / comparisons
  const outcomes = new Map<string, number>()
  for (const { outcome } of results) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')
  return { results, pairs, text: `${pairs.toFixed(1)} pairs on average (${counts})` }
}

function describeEqual(stock: RunStock, comparisons: number): string {
  const { results, text } = simulate(stock, comparisons)
  const wrong = results.filter(({ changed }) => changed.length > 0).length
  const share = ((100 * wrong) / comparisons).toFixed(1)
  return `${share} % reported as worse or better (target: at most 5 %), ${text}`
}

function describeSlower(stock: RunStock, comparisons: number): string {
  const { results, pairs, text } = simulate(stock, comparisons, SLOWER)
  const share = results.filter(({ changed }) => changed.includes(FOUND)).length / comparisons
  const others = results.filter(({ changed }) => changed.some((each) => each !== FOUND)).length
  const findFixed = (leastShare: number) => {
    for (let repeat = 2; repeat < 2 * MAX_PAIRS; repeat += 1) {
      if (shareFoundFixed(stock, repeat, comparisons) >= leastShare) return repeat
    }
    return 2 * MAX_PAIRS
  }
  const ratio = (repeat: number) => `${repeat} pairs: ${Math.round((100 * pairs) / repeat)} %`
  return [
    `found in ${(100 * share).toFixed(1)} % (target: 90 %), another change reported in ${others}, ${text}`,
    '    runs, as a share of those of a fixed number of pairs (target: 60 %):',
    `      of the maximum, ${ratio(MAX_PAIRS)}`,
    `      of the number that finds it as often, ${ratio(findFixed(share))}`,
    `      of the number that finds it in 9 of 10, ${ratio(findFixed(FOUND_MIN_SHARE))}`,
  ].join('\n')
}

function shareFoundFixed(stock: RunStock, repeat: number, comparisons: number): number {
  const sides = { a: () => stock.draw(), b: () => stock.draw(SLOWER) }
  const results = Array.from({ length: comparisons }, () => simulateFixed(sides, repeat))
  return results.filter(({ changed }) => changed.includes(FOUND)).length / comparisons
}
