import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawNormal, simulateRecord } from '../../reports/trend/simulated-records.ts'
import { projectPath } from '../../scripts/project.ts'
import { writeRecord } from '../../scripts/run-history/run-records.ts'
import { createRandom } from '../../simulator/random.ts'
import { inTurns, runChild, spread } from './measuring.ts'

const ROUNDS = 7
const RUNS = 2000
/** As many groups as `trend` can judge in full, 400 runs each. */
const GROUPS = 5

/**
 * Cost of reading a run history and of judging it, each in a new process but without its start, relative to a process that reads the
 * same files and calls JSON.parse alone.
 */
export async function benchTrend({ print }: { print: (line: string) => void }): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  try {
    const history = join(dir, 'history')
    await writeHistory(history)
    const result = join(dir, 'result.json')
    const rounds = await inTurns(['trend', 'parse'] as const, {
      rounds: ROUNDS,
      measure: async (name): Promise<Cost> => {
        runChild(SCRIPTS[name], { HISTORY: history, RESULT_FILE: result })
        return JSON.parse(await readFile(result, 'utf8'))
      },
    })
    const read = rounds.map(({ trend }) => trend.readMs / 1000)
    const ratio = rounds.map(({ trend, parse }) => trend.readMs / parse.readMs)
    const judge = rounds.map(({ trend }) => trend.judgeMs / 1000)
    const parse = rounds.map((round) => round.parse.readMs / 1000)
    print(`history of ${RUNS} runs in ${GROUPS} groups, ${ROUNDS} rounds:`)
    print(
      `  reading ${spread(read)} s (target 2), ${spread(ratio)} times JSON.parse alone, which takes ${spread(parse)} s`,
    )
    print(`  judging ${spread(judge)} s`)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

type Cost = { readMs: number; judgeMs: number }

async function writeHistory(history: string): Promise<void> {
  const random = createRandom(1).stream('runs')
  const float = () => random.float()
  for (let number = 0; number < RUNS; number++) {
    const record = { mix: `mix-${number % GROUPS}` }
    await writeRecord(
      history,
      simulateRecord(number, float, { factor: Math.exp(0.01 * drawNormal(float)), record }),
    )
  }
}

const SCRIPTS = {
  trend: `
  const { writeFileSync } = await import('node:fs')
  const { readHistory } = await import(${JSON.stringify(projectPath('scripts/run-history/run-records.ts'))})
  const { judgeTrends, TREND_DEFAULTS } = await import(${JSON.stringify(projectPath('reports/trend/judge-trend.ts'))})
  const startMs = performance.now()
  const { records } = await readHistory(process.env.HISTORY, 'history')
  const readMs = performance.now() - startMs
  judgeTrends(records, TREND_DEFAULTS)
  const judgeMs = performance.now() - startMs - readMs
  if (records.length !== ${RUNS}) throw new Error('records are missing')
  writeFileSync(process.env.RESULT_FILE, JSON.stringify({ readMs, judgeMs }))`,
  parse: `
  const { readdirSync, readFileSync, writeFileSync } = await import('node:fs')
  const startMs = performance.now()
  for (const name of readdirSync(process.env.HISTORY)) JSON.parse(readFileSync(process.env.HISTORY + '/' + name, 'utf8'))
  const readMs = performance.now() - startMs
  writeFileSync(process.env.RESULT_FILE, JSON.stringify({ readMs, judgeMs: 0 }))`,
}
