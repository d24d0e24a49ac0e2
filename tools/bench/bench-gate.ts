/** `npm run bench -- --gate`: processor time relative to a reference, judged by recorded ratios. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { projectPath } from '../../scripts/project.ts'
import type { Work } from './gate-work.ts'
import { buildSeries, METRICS } from './report.bench.ts'

const ROUNDS = 9
/** A larger ratio than this times the recorded one fails. */
const WORSE = 1.15
const RECORDED = 'tools/bench/recorded-ratios.json'

/** Each work with its reference, which no change of this project makes faster or slower. */
const FIGURES: readonly { work: Work; reference: Work }[] = [
  { work: 'swaps by the AMM', reference: 'swaps by @uniswap/v3-sdk' },
  { work: 'swaps of the chain', reference: 'swaps by @uniswap/v3-sdk' },
  { work: 'a report', reference: 'lines parsed' },
  { work: 'requests to the stub', reference: 'requests to a bare route' },
]

const ratiosSchema = z.record(z.string(), z.number().positive())
export type Ratios = Readonly<z.infer<typeof ratiosSchema>>

/** Resolves with false if a ratio is worse than the recorded one. `isRecording` records the measured ratios instead. */
export async function runGate(options: {
  isRecording: boolean
  print: (line: string) => void
}): Promise<boolean> {
  if (options.isRecording) {
    const seen = await measureRatios()
    writeFileSync(projectPath(RECORDED), `${JSON.stringify(seen, null, 2)}\n`)
    options.print(`recorded ${Object.keys(seen).length} ratios in ${RECORDED}`)
    return true
  }
  const file = projectPath(RECORDED)
  const recorded = parseRatios(existsSync(file) ? readFileSync(file, 'utf8') : '')
  const { lines, isPassed } = judgeRatios(await measureRatios(), recorded)
  for (const line of lines) options.print(line)
  return isPassed
}

/** Throws a BreakwaterError (usage) if the text is not what `--record` writes. */
export function parseRatios(text: string): Ratios {
  try {
    return ratiosSchema.parse(JSON.parse(text))
  } catch {
    throw new BreakwaterError(`${RECORDED} is not an object of positive numbers`, {
      hint: 'Write it again with `npm run bench -- --record`, which takes five minutes.',
    })
  }
}

/** A ratio without a record fails, as does a record without a ratio: one of them has another name. */
export function judgeRatios(seen: Ratios, recorded: Ratios): { lines: string[]; isPassed: boolean } {
  const names = [...new Set([...Object.keys(seen), ...Object.keys(recorded)])]
  const rows = names.map((name) => {
    const [ratio, before] = [seen[name], recorded[name]]
    if (ratio === undefined || before === undefined) {
      const problem = ratio === undefined ? 'recorded, but not measured' : 'measured, but not recorded'
      return { isPassed: false, line: `FAILED  ${name}: ${problem}; record all again with --record` }
    }
    const change = `${ratio.toPrecision(3)}, recorded ${before.toPrecision(3)} (${(ratio / before).toFixed(2)} times)`
    return ratio <= before * WORSE
      ? { isPassed: true, line: `ok      ${name}: ${change}` }
      : { isPassed: false, line: `FAILED  ${name}: ${change}, at most ${WORSE} times is allowed` }
  })
  return { lines: rows.map(({ line }) => line), isPassed: rows.every(({ isPassed }) => isPassed) }
}

/** The least processor time of each work over all rounds, because other load on the machine can only add to it. */
async function measureRatios(): Promise<Ratios> {
  const run = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  try {
    await makeSyntheticRun({
      dir: run,
      seed: 1,
      seconds: 1800,
      samplesPerSecond: 20,
      series: buildSeries(12, METRICS),
    })
    const works = [...new Set(FIGURES.flatMap(({ work, reference }) => [work, reference]))]
    const least = new Map<Work, number>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const work of works)
        least.set(work, Math.min(least.get(work) ?? Number.POSITIVE_INFINITY, measure(work, run)))
    }
    return Object.fromEntries(
      FIGURES.map(({ work, reference }) => [
        `${work}, relative to ${reference}`,
        Number(((least.get(work) ?? Number.NaN) / (least.get(reference) ?? Number.NaN)).toPrecision(3)),
      ]),
    )
  } finally {
    await rm(run, { recursive: true, force: true })
  }
}

function measure(work: Work, run: string): number {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './tools/typescript.mjs', 'tools/bench/gate-work.ts', work],
    { cwd: projectPath('.'), env: { ...process.env, BREAKWATER_GATE_RUN: run }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`${work}: the measured process failed: ${stderr}`)
  return Number(stdout)
}
