import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HISTORY_RULES } from '../../contract/rules/history.ts'
import { encodeLog, synthesizeFeed, synthesizeHistory } from '../../histories/synthetic-log.ts'
import { projectPath } from '../../scripts/project.ts'
import { type K6Measure, measureK6, writeRecordedScript } from './lean-scripts.ts'
import type { LeanReady } from './lean-server.ts'
import { inTurns, runChild, spread, startMeasured } from './measuring.ts'

const ROUNDS = 25
const SECONDS = 2
const VUS = 20

const CHECKS = [
  { operations: 1_000_000, target: 'target 10 s, 500 MB' },
  { operations: 10_000_000, target: 'no target' },
]

/** Histories that one k6 process records at the same time. */
const PER_LOG = 60_000
const STEP_US = 700

export async function benchHistories({
  k6,
  print,
}: {
  k6: string
  print: (line: string) => void
}): Promise<void> {
  await benchRecording({ k6, print })
  benchCheck({ print })
}

/**
 * The cost of the log for a load: the same reads of sessions from a bare server, with and without the output, in turns. k6 is the
 * bottleneck, and each request is recorded.
 */
async function benchRecording({ k6, print }: { k6: string; print: (line: string) => void }): Promise<void> {
  const { process: server, ready } = await startMeasured<object, LeanReady>('tools/bench/lean-server.ts')
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  const url = `http://127.0.0.1:${ready.port}`
  const log = join(folder, 'history.log')
  try {
    const script = await writeRecordedScript({ folder, url, ready })
    const requests = async () => Number(await (await fetch(`${url}/requests`)).text())
    const scenario = { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s` }
    const rounds = await inTurns(['without', 'with'] as const, {
      rounds: ROUNDS,
      measure: (name) =>
        measureK6({ k6, requests, outs: name === 'with' ? [`history=${log}`] : [] }, script, scenario),
    })
    const rate = spread(rounds.map((round) => (100 * round.with.requests) / round.without.requests))
    const cpu = spread(rounds.map((round) => (100 * cpuUs(round.without)) / cpuUs(round.with)))
    const bytes = statSync(log).size / (rounds.at(-1)?.with.requests ?? Number.NaN)
    print(
      `a load of sessions with the log, relative to without, ${ROUNDS} pairs: % of the rate: ${rate} (target 98), % of the requests per CPU time: ${cpu}; ${bytes.toFixed(1)} bytes per operation`,
    )
  } finally {
    server.end()
    await rm(folder, { recursive: true, force: true })
  }
}

function cpuUs({ cpuMs, requests }: K6Measure): number {
  return (cpuMs * 1000) / requests
}

/** Cost of the check of an operation log, in a separate process, including the start of Node. A correct target: nothing may be found. */
function benchCheck({ print }: { print: (line: string) => void }): void {
  for (const { operations, target } of CHECKS) {
    const dir = mkdtempSync(join(tmpdir(), 'breakwater-bench-'))
    try {
      const file = join(dir, 'history.log')
      const written = writeLog(file, operations)
      const result = join(dir, 'result.json')
      const { wallMs, rssMb } = runChild(CHECK_SCRIPT, { LOG_FILE: file, RESULT_FILE: result })
      const { verdicts } = JSON.parse(readFileSync(result, 'utf8')) as { verdicts: string[] }
      const bytes = statSync(file).size / written
      print(
        `check of ${written} operations (${bytes.toFixed(1)} bytes each): ${(wallMs / 1000).toFixed(1)} s, peak ${rssMb.toFixed(0)} MB (${target}); rules that did not pass: ${verdicts.filter((verdict) => verdict !== 'pass').length} of ${verdicts.length}`,
      )
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

const CHECK_SCRIPT = `
  const { writeFileSync } = await import('node:fs')
  const { checkLog } = await import(${JSON.stringify(projectPath('histories/check-log.ts'))})
  const rules = ${JSON.stringify(HISTORY_RULES.map(({ id }) => id))}
  const { findings } = await checkLog(process.env.LOG_FILE, { rules, nowMs: 0 })
  writeFileSync(process.env.RESULT_FILE, JSON.stringify({ verdicts: findings.map(({ verdict }) => verdict) }))`

/** Writes the logs of as many processes as needed; returns the number of operations. */
function writeLog(file: string, operations: number): number {
  const random = createRandom()
  let [written, first] = [0, 0]
  while (written < operations) {
    const histories = Array.from({ length: PER_LOG }, (_, index) =>
      (index % 2 === 0 ? synthesizeHistory : synthesizeFeed)((first + index) >> 1, {
        random,
        startUs: (first + index) * STEP_US,
      }),
    )
    appendFileSync(file, encodeLog(histories))
    written += histories.reduce((sum, history) => sum + history.operations.length, 0)
    first += PER_LOG
  }
  return written
}

/** The generator of Park and Miller, so that each bench checks the same log. */
function createRandom(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
