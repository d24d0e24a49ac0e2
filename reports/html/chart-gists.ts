import type { LatencyMs } from '../../contract/report.ts'
import { figure, latencyText, percent } from '../objective-text.ts'
import type { Histogram } from '../statistics/histogram.ts'
import { supportedQuantile } from '../statistics/quantiles.ts'
import type { GroupCharts } from './chart-data.ts'
import type { ChartLine } from './chart-lines.ts'

/** What the charts of a group show, a sentence or two for each, for who cannot see them. */
export function chartGists(
  { latency, rates, seconds }: GroupCharts,
  total: Histogram,
): Record<'latency' | 'heat' | 'rate', string> {
  const courses = latency.lines
    .filter(({ name }) => GIST_LINES.includes(name))
    .flatMap(({ name, values }) => courseText(name, values, seconds))
  const infinite = total.infinite > 0 ? ' Dropped iterations count as requests without an end.' : ''
  return {
    latency: `${courses.length === 0 ? 'No latency can be drawn.' : sentence(courses)}${infinite}`,
    heat: heatGist(total),
    rate: sentence(rates.flatMap(({ label, values }) => rateText(label, values, seconds))),
  }
}

/** The least and the greatest that each line is, and where; seconds of its points since the start of the run. */
export function courseGist(lines: readonly ChartLine[], seconds: readonly number[], unit: string): string {
  const texts = lines.flatMap(({ label, values }) => {
    const range = rangeOf(values)
    if (range === undefined) return []
    const { least, greatest, place } = range
    if (least === greatest) return [`${label}: ${figure(least)} ${unit} throughout`]
    const at = clockText(seconds[place] ?? 0)
    return [`${label}: between ${figure(least)} and ${figure(greatest)} ${unit}, highest at ${at}`]
  })
  return sentence(texts)
}

const GIST_LINES: readonly string[] = ['p50', 'p95', 'max']

function courseText(name: string, values: readonly (number | null)[], seconds: readonly number[]): string[] {
  const range = rangeOf(values)
  if (range === undefined) return []
  const { least, greatest, place } = range
  const at = clockText(seconds[place] ?? 0)
  if (name === 'max') return [`the slowest request took ${latencyText(greatest)}, at ${at}`]
  return [
    least === greatest
      ? `${name} ${latencyText(least)} throughout`
      : `${name} between ${figure(least)} and ${latencyText(greatest)}, highest at ${at}`,
  ]
}

function rateText(label: string, values: readonly (number | null)[], seconds: readonly number[]): string[] {
  const range = rangeOf(values)
  if (range === undefined) return []
  const { least, greatest, place } = range
  if (greatest === 0) return [`none ${label}`]
  if (least === greatest) return [`${figure(greatest)} ${label} a second throughout`]
  const at = clockText(seconds[place] ?? 0)
  return label === 'requests'
    ? [`between ${figure(least)} and ${figure(greatest)} requests a second, most at ${at}`]
    : [`up to ${figure(greatest)} ${label} a second, most at ${at}`]
}

function rangeOf(values: readonly (number | null)[]) {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  let place = -1
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    least = Math.min(least, value)
    if (value <= greatest) continue
    greatest = value
    place = index
  }
  return place === -1 ? undefined : { least, greatest, place }
}

/** The middle half, and nine of ten. */
const SPANS = [
  { low: 0.25, high: 0.75, name: 'half of all requests' },
  { low: 0.05, high: 0.95, name: 'nine of ten' },
]

function heatGist(total: Histogram): string {
  const spans = SPANS.flatMap(({ low, high, name }) => {
    const from = supportedQuantile(total, low)
    const to = supportedQuantile(total, high)
    return from === null || to === null ? [] : [`${name} took ${betweenText(from, to)}`]
  })
  const unanswered =
    total.zero > 0 ? [`${percent(total.zero / total.count)} took no time: they had no answer`] : []
  const all = [...spans, ...unanswered]
  return all.length === 0 ? `Only ${total.count} requests: too few to say how they spread.` : sentence(all)
}

function betweenText(from: LatencyMs, to: LatencyMs): string {
  if (from === to) return latencyText(from)
  return typeof from === 'number' && to !== 'infinite'
    ? `${figure(from)} to ${latencyText(to)}`
    : `${latencyText(from)} or more`
}

function sentence(parts: readonly string[]): string {
  const text = parts.join('; ')
  if (text === '') return ''
  // p50 keeps its small letter.
  return /^p\d/.test(text) ? `${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Seconds since the start of a run as `0:05`, or `1:00:05`. */
export function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const pad = (number: number) => String(number).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  const hours = Math.floor(whole / 3600)
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}
