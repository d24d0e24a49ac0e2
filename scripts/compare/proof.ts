import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Comparison, comparisonSchema } from '../../contract/comparison.ts'
import { projectPath } from '../project-path.ts'

/** Of a pair: short, and as many a side as the verdicts need. */
const LOAD = ['--repeat', '5', '--rate', '50', '--duration', '5', '--warm-up', '2']
const BASE = 'stub:base-20ms'
const SLOWER = 'stub:one-route-15-percent-slower'
const SLOWER_ROUTE = 'GET /explore/pools'

/** Of 40 pairs of a build against itself, so many may be called worse or better. */
const FALSE_ALARMS_MAX_SHARE = 3 / 40
/** Of 10 slower builds, so many must be found out. */
const FOUND_MIN_SHARE = 9 / 10

type Tell = (name: string, problem: string | undefined) => void

/**
 * Whether comparisons are to be believed: a build against itself, which must be called neither worse nor better, and against
 * one of which a single route is 15 % slower, which must be called worse there and nowhere else. For `npm run nightly`.
 */
export function proveComparisons(tell: Tell, { pairs = 40, slower = 10 } = {}): void {
  let alarms = 0
  for (let pair = 1; pair <= pairs; pair++) {
    const changed = changesIn(compare(BASE, BASE, pair))
    if (changed.length > 0) alarms++
    console.log(`pair ${pair} of ${pairs}: ${changed.join(', ') || 'no difference shown'}`)
  }
  const allowed = Math.floor(pairs * FALSE_ALARMS_MAX_SHARE)
  tell(
    `the same build against itself, ${pairs} times`,
    alarms > allowed ? `called worse or better ${alarms} times, and ${allowed} are allowed` : undefined,
  )
  let found = 0
  let wrong = 0
  for (let time = 1; time <= slower; time++) {
    const changed = changesIn(compare(BASE, SLOWER, time))
    const isSlower = (change: string) => change.startsWith(`worse ${SLOWER_ROUTE} `)
    if (changed.some(isSlower)) found++
    if (!changed.every(isSlower)) wrong++
    console.log(`15 % slower, ${time} of ${slower}: ${changed.join(', ') || 'no difference shown'}`)
  }
  const needed = Math.ceil(slower * FOUND_MIN_SHARE)
  tell(
    `one route 15 % slower, ${slower} times`,
    found < needed || wrong > 0
      ? `called worse ${found} times, of which ${needed} are needed; something else was called so ${wrong} times`
      : undefined,
  )
}

function changesIn({ differences }: Comparison): string[] {
  return differences
    .filter(({ verdict }) => verdict === 'worse' || verdict === 'better')
    .map(({ verdict, name, metric }) => `${verdict} ${name ?? 'the whole run'} ${metric}`)
}

function compare(a: string, b: string, seed: number): Comparison {
  const out = mkdtempSync(join(tmpdir(), 'breakwater-compare-'))
  try {
    const command = [projectPath('scripts/breakwater.mjs'), 'compare', '--run', a, b, ...LOAD]
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...command, '--seed', String(seed), '--json', '--out', out],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    )
    if (status !== 0 && status !== 1) throw new Error(`compare ended with ${status}: ${stderr.trim()}`)
    return comparisonSchema.parse(JSON.parse(stdout))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
