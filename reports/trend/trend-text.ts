import { getAxisSuffix } from '../../contract/capacity.ts'
import type { Trend, TrendChange, TrendGroup, TrendPoint } from '../../contract/trend.ts'
import { figure as formatFigure, percent } from '../objective-text.ts'
import { visibleLine } from '../visible.ts'

/**
 * True if the last confirmed change is a regression: an earlier one has been accepted, or fixed. With `sinceMs`, any confirmed
 * regression whose first run started later counts.
 */
export function isRegression({ changes, points }: Trend, sinceMs: number | undefined): boolean {
  const confirmed = changes.filter(({ isConfirmed }) => isConfirmed)
  const isWorse = ({ direction }: TrendChange) => direction !== 'better'
  if (sinceMs === undefined) return confirmed.slice(-1).some(isWorse)
  return confirmed.some(
    (change) => isWorse(change) && Date.parse(points[change.at]?.startedAt ?? '') > sinceMs,
  )
}

export function trendLines(trends: readonly Trend[]): string[] {
  return trends.flatMap((trend) => [
    `${groupText(trend.group)}: ${trend.points.length} runs`,
    ...(trend.note === null ? [] : [`  not judged: ${trend.note}`]),
    ...(trend.note === null && trend.changes.length === 0 ? ['  no change'] : []),
    ...trend.changes.map((change) => `  ${changeText(trend, change)}`),
  ])
}

/** Untrusted: parts of it come from files of other people. */
export function groupText({
  job,
  target,
  mix,
  arrivals,
  axis,
  objectives,
  rate,
  machine,
  seed,
  world,
  choices,
  versions,
}: TrendGroup): string {
  const parts = [
    `${job} of ${target}`,
    mix === null ? [] : `mix ${mix}`,
    arrivals === null ? [] : `arrivals ${arrivals}`,
    axis === null ? [] : `axis ${axis}`,
    rate === null ? [] : `${formatFigure(rate)}/s`,
    world === null ? [] : `world ${world}`,
    choices === null ? [] : `choices ${choices}`,
    seed === null ? [] : `seed ${seed}`,
    machine ?? [],
    versions,
    objectives ?? [],
  ]
  return visibleLine(parts.flat().join(', '))
}

/** `confirmed: worse since v1.4.0 (4be1c2d), run …: p95 12.1 -> 14.0 ms (+15.7 %); p = 0.001`. */
export function changeText({ points, group }: Pick<Trend, 'points' | 'group'>, change: TrendChange): string {
  const { at, isConfirmed, direction, shifts, pValue } = change
  const first = points[at]
  const state = isConfirmed ? 'confirmed' : 'candidate'
  return visibleLine(
    `${state}: ${direction} since ${first === undefined ? '' : runText(first)}: ${shifts.map((shift) => shiftText(shift, group)).join(', ')}${pValue === null ? '' : `; p = ${pValue.toFixed(3)}`}`,
  )
}

function runText(point: TrendPoint): string {
  const named = releaseText(point)
  return named === null ? `run ${point.id}` : `${named}, run ${point.id}`
}

/** `v1.4.0 (4be1c2d)`; null if the run names neither a release nor a commit. */
export function releaseText({ release, commit }: Pick<TrendPoint, 'release' | 'commit'>): string | null {
  const of = release !== null && commit !== null ? ` (${commit.slice(0, 12)})` : ''
  return release === null ? commit : `${release}${of}`
}

export function shiftText(
  { figure, before, after, change }: TrendChange['shifts'][number],
  { axis }: Pick<TrendGroup, 'axis'>,
): string {
  if (figure === 'failed') return `failed ${percent(before)} -> ${percent(after)}`
  const unit = figure === 'capacity' ? getAxisSuffix(axis ?? undefined) : ' ms'
  const sign = change > 0 ? '+' : ''
  return `${figure} ${formatFigure(before)} -> ${formatFigure(after)}${unit} (${sign}${(change * 100).toFixed(1)} %)`
}
