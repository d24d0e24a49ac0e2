import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Comparison, comparisonSchema } from '../../contract/comparison.ts'
import { projectPath } from '../../scripts/project.ts'

/** Runs vary more than seconds do: many short runs show more than a few long ones. */
const LOAD = ['--repeat', '5', '--rate', '100', '--duration', '2s', '--warm-up', '1s']
const BASE = 'stub:base-20ms'
const SLOWER = 'stub:one-route-15-percent-slower'
const SLOWER_ROUTE = 'GET /explore/pools'

/** Allowed false alarms among 40 comparisons of a build with itself. */
const FALSE_ALARMS_MAX_SHARE = 3 / 40
/** Required detections among 10 slower builds. */
const FOUND_MIN_SHARE = 9 / 10

type ReportResult = (name: string, problem: string | undefined) => void

/**
 * Validates comparisons: a build compared with itself must be neither worse nor better; with one route 15 % slower, it must be
 * worse there and nowhere else. Each comparison has its own seed, from `seed` on. For `npm run nightly`.
 */
export function proveComparisons(report: ReportResult, { pairs = 40, slower = 10, seed = 1 } = {}): void {
  if (pairs > 0) proveQuiet(report, { pairs, seed })
  if (slower > 0) proveKeen(report, { times: slower, seed })
}

function proveQuiet(report: ReportResult, { pairs, seed }: { pairs: number; seed: number }): void {
  let alarms = 0
  for (let pair = 1; pair <= pairs; pair++) {
    const comparison = compare(BASE, BASE, seed + pair - 1)
    if (changesIn(comparison).length > 0) alarms++
    console.log(`  pair ${pair} of ${pairs}: ${summary(comparison)}`)
  }
  const allowed = Math.floor(pairs * FALSE_ALARMS_MAX_SHARE)
  report(
    `a build compared with itself, ${pairs} times`,
    alarms > allowed ? `called worse or better ${alarms} times; at most ${allowed} are allowed` : undefined,
  )
}

function proveKeen(report: ReportResult, { times, seed }: { times: number; seed: number }): void {
  let found = 0
  let wrong = 0
  for (let time = 1; time <= times; time++) {
    const comparison = compare(BASE, SLOWER, seed + time - 1)
    const changed = changesIn(comparison)
    const isSlower = (change: string) => change.startsWith(`worse ${SLOWER_ROUTE} `)
    if (changed.some(isSlower)) found++
    if (!changed.every(isSlower)) wrong++
    console.log(`  15 % slower, ${time} of ${times}: ${summary(comparison)}`)
  }
  const needed = Math.ceil(times * FOUND_MIN_SHARE)
  report(
    `a build with one route 15 % slower, ${times} times`,
    found < needed || wrong > 0
      ? `detected ${found} times, at least ${needed} required; another change reported ${wrong} times`
      : undefined,
  )
}

/** A comparison without comparable metrics proves nothing. */
function changesIn({ differences, verdict }: Comparison): string[] {
  if (verdict === 'not comparable') return ['nothing could be compared']
  return differences
    .filter((each) => each.verdict === 'worse' || each.verdict === 'better')
    .map((each) => `${each.verdict} ${each.name ?? 'the whole run'} ${each.metric}`)
}

export function summary(comparison: Comparison): string {
  const route = comparison.differences.find(({ name, metric }) => name === SLOWER_ROUTE && metric === 'p50')
  const sides = [route?.a, route?.b].map((side) => side?.runs.map((ms) => ms.toFixed(1)).join(' ') ?? '-')
  const figures = `${SLOWER_ROUTE} p50 ms: ${sides.join(' | ')}`
  // Explains a miss: too few requests, or a note on a run.
  const why = route === undefined ? 'has none' : route.verdict === 'worse' ? null : route.reason
  return [
    `${changesIn(comparison).join(', ') || 'no significant difference'} (${figures}${why === null ? '' : `: ${why}`})`,
    ...comparison.notes,
  ].join('; ')
}

function compare(a: string, b: string, seed: number): Comparison {
  const out = mkdtempSync(join(tmpdir(), 'breakwater-compare-'))
  try {
    const command = [projectPath('scripts/breakwater.mjs'), 'compare', '--run', a, b, ...LOAD]
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...command, '--seed', String(seed), '--json', '--output', out],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    )
    if (stdout === '') throw new Error(`compare exited with ${status}: ${stderr.trim()}`)
    return comparisonSchema.parse(JSON.parse(stdout))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
